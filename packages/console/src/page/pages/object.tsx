/** One object: its state, its revisions, and a tab per question. */
import type { JSX } from "preact";
import type { ObjectDetail, ObjectPath, ObjectRevision, ObjectSummary } from "../../protocol.ts";
import { useKeys } from "../app/keys.ts";
import { chainHref, formatObjectPath, objectHref, parseObjectPath } from "../app/links.ts";
import { at, go, here, location } from "../app/router.ts";
import { remove } from "../data/api.ts";
import { useRead } from "../data/use-read.ts";
import { CodeLine, Copy, can, Mark, ObjectLink, Reading, Relative, STATE_TONES, Time, Title } from "../parts/basics.tsx";
import { useAction } from "../parts/use-action.ts";
import { BlameTab } from "./object/blame.tsx";
import { DiffTab } from "./object/diff.tsx";
import { EditTab } from "./object/edit.tsx";
import { EventsTab } from "./object/events.tsx";
import { PlanTab } from "./object/plan.tsx";
import { PodTab } from "./object/pod.tsx";
import { QueueKeyLine } from "./object/queue-key.tsx";
import { StoryTab } from "./object/story.tsx";

type TabName = "story" | "diff" | "blame" | "plan" | "yaml" | "events" | "pod" | "edit";
const TABS: readonly (readonly [name: TabName, text: string, key: string])[] = [
  ["story", "Story", "t"],
  ["diff", "Diff", "d"],
  ["blame", "Blame", "b"],
  ["plan", "Plan", "p"],
  ["yaml", "YAML", "y"],
  ["events", "Events", "v"],
  ["pod", "Logs and exec", "o"],
  ["edit", "Edit", "e"],
];

export function ObjectPage({ path }: { readonly path: ObjectPath }): JSX.Element {
  const state = useRead("/api/objects/*", [path]);
  return (
    <div class="page">
      {state.data === undefined && state.error !== undefined && <Title title={formatObjectPath(path)} />}
      <Reading state={state}>{(detail) => <Detail path={path} detail={detail} />}</Reading>
      {state.error !== undefined && <LastState path={path} reason={state.error.reason} />}
    </div>
  );
}

/** An object that is not there now may have been there: its story says until when. */
function LastState({ path, reason }: { readonly path: ObjectPath; readonly reason: string }): JSX.Element | null {
  if (reason !== "NotFound") return null;
  return (
    <p>
      <a href={objectHref(path, { at: undefined })}>Show it as it was last</a>
    </p>
  );
}

function Detail({ path, detail }: { readonly path: ObjectPath; readonly detail: ObjectDetail }): JSX.Element {
  const { summary, queue } = detail;
  // At a moment of the past, those after it are wanted, too.
  const latest = useRead(at.value === undefined ? undefined : "/api/objects/*", [path], { at: undefined });
  const revisions = latest.data !== undefined && at.value !== undefined ? latest.data.revisions : detail.revisions;
  const tabs = TABS.filter(([name]) => (name === "pod" ? detail.containers.length > 0 : name !== "edit" || can("edit")));
  const tab = tabs.find(([name]) => name === location.value.query["tab"])?.[0] ?? "story";
  const shown = indexOf(revisions, at.value);
  const revision = revisions[shown]?.revision;
  const show = (index: number) => {
    const next = revisions[index];
    if (next !== undefined) go(here({ at: next.revision }), true);
  };
  useKeys({
    ...Object.fromEntries(tabs.map(([name, , key]) => [key, () => go(here({ tab: name }))])),
    "[": () => show(shown - 1),
    "]": () => show(shown + 1),
    c: () => {
      if (revision !== undefined) go(chainHref(revision));
    },
  });
  const { resource, namespace } = parseObjectPath(path);
  return (
    <>
      <Title
        title={
          <>
            <span class="muted">
              {summary.kind} {namespace === "" ? "" : `${namespace}/`}
            </span>
            {summary.name}
          </>
        }
      >
        <Mark tone={summary.deleted === undefined ? STATE_TONES[summary.state] : "plain"}>
          {summary.deleted !== undefined ? "deleted" : summary.stateText}
        </Mark>
        {summary.deleting !== undefined && summary.deleted === undefined && <Mark tone="warn">deleting</Mark>}
        {can("edit") && summary.deleted === undefined && at.value === undefined && <Delete path={path} />}
      </Title>
      {summary.deleted !== undefined && (
        <p class="notice warn-notice">
          It was deleted <Relative time={summary.deleted} />. This is its last state.
        </p>
      )}
      <div class="object-head">
        <Revisions revisions={revisions} shown={shown} show={show} />
        {queue !== undefined && <QueueKeyLine entry={queue} />}
      </div>
      <Conditions detail={detail} />
      <Relatives label="Owned by" objects={detail.owners} />
      <Relatives label="Owns" objects={detail.children} />
      <nav class="tabs" aria-label={`${summary.kind} ${summary.name}`}>
        {tabs.map(([name, text]) => (
          <a key={name} href={here({ tab: name === "story" ? undefined : name })} aria-current={tab === name ? "page" : undefined}>
            {text}
          </a>
        ))}
      </nav>
      <div class="tab">
        {tab === "story" && <StoryTab path={path} />}
        {tab === "diff" && <DiffTab path={path} revisions={revisions} shown={shown} />}
        {tab === "blame" && <BlameTab path={path} />}
        {tab === "plan" && <PlanTab path={path} />}
        {tab === "yaml" && <Yaml text={detail.yaml} commands={detail.commands} />}
        {tab === "events" && <EventsTab path={path} />}
        {tab === "pod" && <PodTab namespace={namespace} pod={summary.name} containers={detail.containers} ports={detail.ports} />}
        {tab === "edit" && (
          <EditTab yaml={detail.yaml} title={`${resource} ${summary.name}`} apiVersion={summary.apiVersion} kind={summary.kind} />
        )}
      </div>
    </>
  );
}

/** The index of the newest revision at a moment; the last one without. */
function indexOf(revisions: readonly ObjectRevision[], moment: number | undefined): number {
  if (moment === undefined) return revisions.length - 1;
  const after = revisions.findIndex(({ revision }) => revision > moment);
  return after === -1 ? revisions.length - 1 : Math.max(0, after - 1);
}

interface RevisionsProps {
  readonly revisions: readonly ObjectRevision[];
  readonly shown: number;
  readonly show: (index: number) => void;
}

function Revisions({ revisions, shown, show }: RevisionsProps): JSX.Element | null {
  const current = revisions[shown];
  if (current === undefined) return null;
  return (
    <div class="revisions" role="group" aria-label="Revisions">
      <button type="button" aria-label="Previous revision" title="[" disabled={shown <= 0} onClick={() => show(shown - 1)}>
        ◀
      </button>
      <span class="mono">r{current.revision}</span>
      <button type="button" aria-label="Next revision" title="]" disabled={shown >= revisions.length - 1} onClick={() => show(shown + 1)}>
        ▶
      </button>
      <span class="muted">
        {shown + 1} of {revisions.length}, {current.operation === "delete" ? "deleted" : "written"} by {current.by}{" "}
        {current.time !== undefined && <Time time={current.time} />}
      </span>
      <a href={chainHref(current.revision)}>Chain</a>
    </div>
  );
}

function Conditions({ detail }: { readonly detail: ObjectDetail }): JSX.Element | null {
  if (detail.conditions.length === 0) return null;
  return (
    <ul class="conditions" aria-label="Conditions">
      {detail.conditions.map((condition) => (
        <li key={condition.type}>
          <strong>{condition.type}</strong>{" "}
          {condition.from !== undefined && condition.from !== condition.status && <span class="muted">{condition.from} → </span>}
          <span>{condition.status}</span> <span class="muted">{condition.reason}</span>
          {condition.since !== undefined && (
            <span class="muted">
              {" "}
              since <Time time={condition.since} />
            </span>
          )}
          {condition.message !== "" && <span class="wrap condition-message">{condition.message}</span>}
        </li>
      ))}
    </ul>
  );
}

const MAX_RELATIVES = 12;

function Relatives({ label, objects }: { readonly label: string; readonly objects: readonly ObjectSummary[] }): JSX.Element | null {
  if (objects.length === 0) return null;
  return (
    <div class="relatives">
      <span class="muted">{label}</span>
      <ul aria-label={label}>
        {objects.slice(0, MAX_RELATIVES).map((object) => (
          <li key={object.path}>
            <Mark tone={STATE_TONES[object.state]} /> <ObjectLink path={object.path}>{`${object.kind} ${object.name}`}</ObjectLink>
          </li>
        ))}
        {objects.length > MAX_RELATIVES && <li class="muted">and {objects.length - MAX_RELATIVES} more</li>}
      </ul>
    </div>
  );
}

function Yaml({ text, commands }: { readonly text: string; readonly commands: readonly string[] }): JSX.Element {
  return (
    <>
      {commands.map((command) => (
        <p key={command}>
          <CodeLine text={command} />
        </p>
      ))}
      <div class="panel">
        <Copy text={text} />
        <pre>{text}</pre>
      </div>
    </>
  );
}

function Delete({ path }: { readonly path: ObjectPath }): JSX.Element {
  const action = useAction(() => remove(`/api/objects/${path.split("/").map(encodeURIComponent).join("/")}`));
  return (
    <>
      <Confirm label="Delete" question="Delete it?" busy={action.busy} act={action.run} />
      {action.error !== undefined && <span class="bad">{action.error.message}</span>}
    </>
  );
}

function Confirm({
  label,
  question,
  busy,
  act,
}: {
  readonly label: string;
  readonly question: string;
  readonly busy: boolean;
  readonly act: () => void;
}): JSX.Element {
  return (
    <details class="confirm">
      <summary class="button plain">{label}</summary>
      <div class="confirm-body">
        <span>{question}</span>
        <button
          type="button"
          class="bad"
          disabled={busy}
          onClick={(event) => {
            event.currentTarget.closest("details")?.removeAttribute("open");
            act();
          }}
        >
          {label}
        </button>
      </div>
    </details>
  );
}
