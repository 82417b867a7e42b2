/** What happened to an object, newest first: commits, runs, what led to no run, events and log lines. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ObjectPath, StoryCommit, StoryDrop, StoryEntry, StoryRun, StoryText } from "../../../protocol.ts";
import { objectHref, requestHref } from "../../app/links.ts";
import { useRead } from "../../data/use-read.ts";
import { formatDuration } from "../../model/format.ts";
import { Empty, Mark, Reading, RevisionLink, RunLink, Time, type Tone } from "../../parts/basics.tsx";
import { Causes } from "../../parts/causes.tsx";
import { InlineChanges, Steps } from "../../parts/changes.tsx";

const PAGE = 60;

export function StoryTab({ path }: { readonly path: ObjectPath }): JSX.Element {
  const [limit, setLimit] = useState(PAGE);
  const state = useRead("/api/objects/*/story", [path], { limit });
  return (
    <Reading state={state}>
      {({ entries, more, oldestRevision }) => (
        <>
          {entries.length === 0 && <Empty title="Nothing is recorded about it." />}
          <ol class="story" aria-label="Story, newest first">
            {entries.slice(0, limit).map((entry, i) => (
              <li key={`${entry.type} ${entry.time} ${i}`} class={`entry entry-${entry.type}`}>
                <Time time={entry.time} />
                <div class="entry-body">
                  <Entry path={path} entry={entry} />
                </div>
              </li>
            ))}
          </ol>
          {more && (
            <button type="button" onClick={() => setLimit(limit + PAGE)}>
              Earlier
            </button>
          )}
          {!more && oldestRevision !== undefined && <p class="muted">The oldest revision that is retained is r{oldestRevision}.</p>}
        </>
      )}
    </Reading>
  );
}

function Entry({ path, entry }: { readonly path: ObjectPath; readonly entry: StoryEntry }): JSX.Element {
  if (entry.type === "commit") return <CommitEntry path={path} entry={entry} />;
  if (entry.type === "run") return <RunEntry entry={entry} />;
  if (entry.type === "drop") return <DropEntry entry={entry} />;
  return <TextEntry entry={entry} />;
}

function CommitEntry({ path, entry }: { readonly path: ObjectPath; readonly entry: StoryCommit }): JSX.Element {
  const who = entry.controller ?? entry.manager ?? entry.user;
  const verb = { create: "created", update: "changed", delete: "deleted" }[entry.operation];
  return (
    <>
      <div class="entry-line">
        <Mark tone={entry.operation === "delete" ? "warn" : "accent"}>{verb}</Mark>
        <RevisionLink revision={entry.revision} />
        {who !== undefined && (
          <span>
            by <strong>{who}</strong>
            {entry.manager !== undefined && entry.manager !== who && <span class="muted"> as {entry.manager}</span>}
          </span>
        )}
        {entry.subresource !== undefined && <span class="muted">{entry.subresource}</span>}
        {entry.run !== undefined && <RunLink id={entry.run} />}
        {entry.inferred !== undefined && <span class="inferred">inferred: {entry.inferred}</span>}
        <span class="entry-links">
          <a href={objectHref(path, { at: entry.revision, tab: "diff" })}>Diff</a>
          {entry.request !== undefined && <a href={requestHref(entry.request)}>Request</a>}
        </span>
      </div>
      {entry.operation !== "create" && entry.changes.length > 0 && <InlineChanges changes={entry.changes} limit={6} />}
    </>
  );
}

const RESULT_TONES: Readonly<Record<StoryRun["result"], Tone>> = {
  success: "good",
  requeue_after: "good",
  error: "bad",
  terminal: "bad",
  running: "accent",
};

function RunEntry({ entry }: { readonly entry: StoryRun }): JSX.Element {
  const repeated = entry.count !== undefined && entry.count > 1;
  return (
    <>
      <div class="entry-line">
        <Mark tone={RESULT_TONES[entry.result]}>
          {repeated ? `${entry.count} runs without effect` : entry.result === "running" ? "running" : "run"}
        </Mark>
        <RunLink id={entry.id}>{`${entry.controller} ${entry.id.slice(entry.id.indexOf("-") + 1)}`}</RunLink>
        <span class="muted">
          waited {formatDuration(entry.waited)}, ran {formatDuration(entry.duration)}
        </span>
        {!repeated && <Causes causes={entry.causes} />}
      </div>
      {entry.error !== undefined && <p class="bad mono wrap">{entry.error}</p>}
      {entry.steps.length > 0 && !repeated && <Steps steps={entry.steps.filter(({ step }) => step !== "skip")} />}
    </>
  );
}

function DropEntry({ entry }: { readonly entry: StoryDrop }): JSX.Element {
  return (
    <div class="entry-line">
      <Mark tone="plain">no run{entry.count > 1 ? `, ${entry.count} times` : ""}</Mark>
      <span class="wrap">{entry.text}</span>
    </div>
  );
}

function TextEntry({ entry }: { readonly entry: StoryText }): JSX.Element {
  const tone: Tone = entry.level === "error" ? "bad" : entry.level === "warning" ? "warn" : "plain";
  return (
    <div class="entry-line">
      <Mark tone={tone}>{entry.type}</Mark>
      <span class="wrap">{entry.text}</span>
      {entry.run !== undefined && <RunLink id={entry.run} />}
    </div>
  );
}
