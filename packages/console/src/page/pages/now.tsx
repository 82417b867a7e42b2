/** What needs attention, then the operator's objects, then what happened last. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { FactRow, ObjectSummary, Trouble } from "../../protocol.ts";
import { chainHref, objectHref, pageHref, runHref } from "../app/links.ts";
import { at } from "../app/router.ts";
import { write } from "../data/api.ts";
import { clusterNow, facts, session, version } from "../data/stream.ts";
import { useRead } from "../data/use-read.ts";
import { count, formatValue } from "../model/format.ts";
import { CodeLine, can, Empty, Excerpt, Mark, ObjectLink, Reading, Relative, Section, STATE_TONES, Title } from "../parts/basics.tsx";
import { FactList } from "../parts/fact-list.tsx";
import { useAction } from "../parts/use-action.ts";
import { VirtualList } from "../parts/virtual-list.tsx";

export function Now(): JSX.Element {
  const state = useRead("/api/now");
  return (
    <div class="page">
      <Reading state={state}>
        {(now) => (
          <>
            <Title
              title={
                now.troubles.length > 0 ? (
                  <Mark tone="bad">{count(now.troubles.length, "trouble")}</Mark>
                ) : now.settled ? (
                  <Mark tone="good">All settled</Mark>
                ) : (
                  <Mark tone="warn">Working</Mark>
                )
              }
            >
              <span class="muted">
                {count(now.counts.objects, "object")}, {count(now.counts.runs, "run")}
                {now.counts.failedRuns > 0 ? ` (${now.counts.failedRuns} failed)` : ""}, {count(now.counts.requests, "request")}
                {now.counts.waiting > 0 ? `, ${now.counts.waiting} waiting` : ""}
              </span>
            </Title>
            {now.troubles.length > 0 && (
              <ul class="troubles" aria-label="Troubles">
                {now.troubles.filter(isNotBanner).map((trouble, i) => (
                  <TroubleItem key={`${trouble.kind} ${trouble.object ?? trouble.run ?? trouble.title} ${i}`} trouble={trouble} />
                ))}
              </ul>
            )}
            {session.value?.trace?.test !== undefined && <FailedTest />}
            {now.objects.length === 0 ? <NoObjects /> : <OwnObjects objects={now.objects} />}
          </>
        )}
      </Reading>
      <Latest />
    </div>
  );
}

/** What does not compile is in the banner of every page. */
const isNotBanner = ({ kind }: Trouble) => kind !== "build" || session.value?.build?.result !== "failed";

const KIND_NAMES: Readonly<Record<Trouble["kind"], string>> = {
  build: "does not compile",
  failing: "failing",
  forbidden: "forbidden",
  flapping: "fighting",
  watch: "watch",
  object: "not ready",
  exited: "exited",
  fault: "fault",
};

function TroubleItem({ trouble }: { readonly trouble: Trouble }): JSX.Element {
  const { denied, flapping } = trouble;
  return (
    <li class="trouble">
      <div class="trouble-head">
        <Mark tone={trouble.kind === "fault" ? "accent" : "bad"}>{KIND_NAMES[trouble.kind]}</Mark>
        <span class="trouble-title">
          {trouble.object === undefined ? trouble.title : <a href={objectHref(trouble.object)}>{trouble.title}</a>}
        </span>
        <span class="muted trouble-when">
          {trouble.count !== undefined && trouble.count > 1 && `${trouble.count} times `}
          {trouble.since !== undefined && (
            <>
              since <Relative time={trouble.since} />
            </>
          )}
        </span>
      </div>
      {trouble.detail !== undefined && <p class="trouble-detail mono wrap">{trouble.detail}</p>}
      {denied !== undefined ? (
        <p class="advice">
          Write <CodeLine text={denied.line} />{" "}
          {denied.file !== undefined && <FileLink file={denied.file} line={denied.fileLine} editor={denied.editor} />}
        </p>
      ) : (
        trouble.advice !== undefined && <p class="advice">{trouble.advice}</p>
      )}
      {flapping !== undefined && (
        <p>
          <code>{flapping.field}</code>: <strong>{flapping.managers.join(" and ")}</strong> overwrite each other,{" "}
          {Math.round(flapping.perMinute)} times a minute: {flapping.values.map((value) => formatValue(value, 40)).join(", ")}
        </p>
      )}
      {trouble.excerpt !== undefined && <Excerpt excerpt={trouble.excerpt} />}
      <div class="links">
        {trouble.nextRetry !== undefined && (
          <span>
            {trouble.nextRetry > clusterNow() ? "Next retry " : "Retry was due "}
            <Relative time={trouble.nextRetry} />
          </span>
        )}
        {trouble.run !== undefined && <a href={runHref(trouble.run)}>Run</a>}
        {trouble.object !== undefined && <a href={objectHref(trouble.object)}>Story</a>}
        {trouble.object !== undefined && flapping !== undefined && <a href={objectHref(trouble.object, { tab: "blame" })}>Blame</a>}
        {flapping !== undefined && <a href={chainHref(flapping.lastRevision)}>Chain of r{flapping.lastRevision}</a>}
        {trouble.kind === "forbidden" && <a href={pageHref(["requests"], { code: 403 })}>Refused requests</a>}
        {trouble.kind === "watch" && <a href={pageHref(["watches"])}>Watches</a>}
        {trouble.kind === "fault" && <a href={pageHref(["lab"])}>Lab</a>}
      </div>
    </li>
  );
}

export function FileLink({
  file,
  line,
  editor,
}: {
  readonly file: string;
  readonly line?: number | undefined;
  readonly editor?: string | undefined;
}): JSX.Element {
  const text = line === undefined ? file : `${file}:${line}`;
  return (
    <span>
      in{" "}
      {editor === undefined ? (
        <code>{text}</code>
      ) : (
        <a class="mono" href={editor}>
          {text}
        </a>
      )}
    </span>
  );
}

function FailedTest(): JSX.Element | null {
  const test = session.value?.trace?.test;
  if (test === undefined) return null;
  return (
    <Section title="Failed test">
      <div class="panel">
        <p>
          <strong>{test.name}</strong> {test.file !== undefined && <code>{test.file}</code>}
        </p>
        {test.error !== undefined && <pre class="bad">{test.error}</pre>}
        {test.expected !== undefined && (
          <dl class="facts">
            <dt>Expected</dt>
            <dd>
              <pre>{test.expected}</pre>
            </dd>
            <dt>Actual</dt>
            <dd>
              <pre>{test.actual ?? "nothing"}</pre>
            </dd>
          </dl>
        )}
        {session.value?.trace?.output !== "" && (
          <details>
            <summary>Output</summary>
            <pre>{session.value?.trace?.output}</pre>
          </details>
        )}
      </div>
    </Section>
  );
}

const OBJECT_COLUMNS = [
  { name: "Object", width: "minmax(120px, 2fr)" },
  { name: "Kind", width: "minmax(72px, 1fr)" },
  { name: "State", width: "minmax(120px, 2fr)" },
  { name: "Revision", width: "84px", number: true },
];

function OwnObjects({ objects }: { readonly objects: readonly ObjectSummary[] }): JSX.Element {
  return (
    <Section title="Objects of the operator" side={<a href={pageHref(["objects"])}>All with their children</a>}>
      <VirtualList
        label="Objects of the operator"
        columns={OBJECT_COLUMNS}
        count={objects.length}
        maxRows={10}
        rowKey={(i) => objects[i]?.path ?? i}
        row={(i) => {
          const object = objects[i];
          if (object === undefined) return [];
          return [
            <ObjectLink key="o" path={object.path}>
              {object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`}
            </ObjectLink>,
            <span key="k" class="muted">
              {object.kind}
            </span>,
            <Mark key="s" tone={STATE_TONES[object.state]}>
              {object.stateText}
            </Mark>,
            <span key="r" class="mono muted">
              r{object.revision}
            </span>,
          ];
        }}
      />
    </Section>
  );
}

function NoObjects(): JSX.Element {
  const apply = useAction(async () => {
    await write("/api/samples", {});
  });
  const samples = session.value?.samples ?? [];
  if (at.value !== undefined) return <Empty title={`The operator had no objects at r${at.value}.`} />;
  return (
    <Empty title="The operator has no objects yet.">
      {can("edit") && samples.length > 0 && (
        <>
          <p class="muted">
            The project has {count(samples.length, "sample")}: {samples.join(", ")}
          </p>
          <button type="button" class="primary" disabled={apply.busy} onClick={apply.run}>
            Apply samples
          </button>
        </>
      )}
      {apply.error !== undefined && <p class="bad">{apply.error.message}</p>}
      {can("edit") && <a href={pageHref(["schema"])}>Write one</a>}
      {session.value?.kubectl !== undefined && <CodeLine text={session.value.kubectl} />}
    </Empty>
  );
}

const LATEST = 12;

/** Whether a fact says something new: a request is followed by its commit. */
function isNews({ tone, type }: FactRow): boolean {
  if (tone === "error" || tone === "warning") return true;
  return tone !== "noise" && type !== "request" && type !== "plan";
}

/** The last things that happened, noise left out. */
function Latest(): JSX.Element {
  const turn = version.value;
  const until = at.value;
  const rows = useMemo(() => {
    const last: number[] = [];
    for (let i = facts.length - 1; i >= 0 && last.length < LATEST; i--)
      if ((until === undefined || (facts.revision[i] ?? 0) <= until) && isNews(facts.row(i))) last.push(i);
    return last;
  }, [turn, until]);
  return (
    <Section title="Latest" side={<a href={pageHref(["activity"])}>All activity</a>}>
      {rows.length === 0 ? <p class="muted panel">Nothing has happened yet.</p> : <FactList label="Latest" rows={rows} maxRows={LATEST} />}
    </Section>
  );
}
