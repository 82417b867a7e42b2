/** Runs, and what led to no run. */
import type { JSX } from "preact";
import type { RunList, RunSummary } from "../../protocol.ts";
import { runHref } from "../app/links.ts";
import { go, here, location } from "../app/router.ts";
import { facts, version } from "../data/stream.ts";
import { useRead } from "../data/use-read.ts";
import { count, formatDuration, formatTime } from "../model/format.ts";
import { Empty, Mark, ObjectLink, Reading, Title, type Tone } from "../parts/basics.tsx";
import { Causes } from "../parts/causes.tsx";
import { FilterInput, FilterSelect, Toggle } from "../parts/filters.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";

export const RESULT_TONES: Readonly<Record<RunSummary["result"], Tone>> = {
  success: "good",
  requeue_after: "good",
  error: "bad",
  terminal: "bad",
  running: "accent",
};
const COLUMNS = [
  { name: "Time", width: "104px" },
  { name: "Result", width: "104px" },
  { name: "Controller and key", width: "minmax(150px, 2fr)" },
  { name: "Why", width: "minmax(160px, 3fr)" },
  { name: "Wrote", width: "64px", number: true },
  { name: "Waited", width: "72px", number: true },
  { name: "Ran", width: "72px", number: true },
];
const RESULTS = [
  ["", "any"],
  ["error", "error"],
  ["terminal", "terminal"],
  ["success", "success"],
  ["requeue_after", "requeue after"],
  ["running", "running"],
] as const;

export function Runs(): JSX.Element {
  const { show, controller, key, result, all } = location.value.query;
  const drops = show === "drops";
  version.value;
  const controllers = [...new Set(facts.controllers())].sort();
  return (
    <div class="page fill">
      <Title title="Runs" />
      <div class="filters">
        <div class="toggles" role="group" aria-label="Show">
          <Toggle pressed={!drops} onClick={() => go(here({ show: undefined }))}>
            Runs
          </Toggle>
          <Toggle pressed={drops} onClick={() => go(here({ show: "drops" }))}>
            Why not
          </Toggle>
        </div>
        {!drops && <FilterInput label="Filter by key" name="key" placeholder="Key" />}
        <FilterSelect label="Controller" name="controller" options={[["", "all"], ...controllers.map((name) => [name, name] as const)]} />
        {!drops && <FilterSelect label="Result" name="result" options={RESULTS} />}
        {!drops && (
          <Toggle pressed={all === "1"} onClick={() => go(here({ all: all === "1" ? undefined : 1 }), true)}>
            Without effect, too
          </Toggle>
        )}
      </div>
      {drops ? <Drops controller={controller} /> : <List query={{ controller, key, result, effect: all === "1" ? undefined : true }} />}
    </div>
  );
}

function List({ query }: { readonly query: Readonly<Record<string, string | boolean | undefined>> }): JSX.Element {
  const state = useRead("/api/runs", [], { ...query, limit: 1_000 });
  return <Reading state={state}>{(list) => <RunTable list={list} />}</Reading>;
}

function RunTable({ list: { runs, folded, more } }: { readonly list: RunList }): JSX.Element {
  return (
    <>
      <p class="muted" role="status">
        {count(runs.length, "run")}
        {more ? ", older ones left out" : ""}
        {folded > 0 && (
          <>
            ; <a href={here({ all: 1 })}>{count(folded, "run")} without effect folded</a>
          </>
        )}
      </p>
      {runs.length === 0 ? (
        <Empty title="No run matches." />
      ) : (
        <VirtualList
          label="Runs"
          columns={COLUMNS}
          count={runs.length}
          rowKey={(i) => runs[i]?.id ?? i}
          row={(i) => {
            const run = runs[i];
            if (run === undefined) return [];
            return [
              <span key="t" class="mono muted">
                {formatTime(run.time)}
              </span>,
              <Mark key="r" tone={RESULT_TONES[run.result]}>
                {run.result.replace("_", " ")}
              </Mark>,
              <a key="k" href={runHref(run.id)} title={run.error ?? run.id}>
                <span class="muted">{run.controller}</span> {run.key}
              </a>,
              run.error === undefined ? (
                <Causes key="w" causes={run.causes} />
              ) : (
                <span key="w" class="bad ellipsis" title={run.error}>
                  {run.error}
                </span>
              ),
              <span key="c" class="mono">
                {run.commits.length === 0 ? "" : run.commits.length}
              </span>,
              <span key="q" class="mono muted">
                {formatDuration(run.waited)}
              </span>,
              <span key="d" class="mono">
                {formatDuration(run.duration)}
              </span>,
            ];
          }}
        />
      )}
    </>
  );
}

const DROP_COLUMNS = [
  { name: "Time", width: "104px" },
  { name: "Reason", width: "140px" },
  { name: "Object", width: "minmax(120px, 1fr)" },
  { name: "Why it led to no run", width: "minmax(200px, 3fr)" },
  { name: "Times", width: "56px", number: true },
];
const REASONS = ["predicate", "mapped to no key", "own write", "paused", "other namespace", "not leading", "backing off", "duplicate"];

function Drops({ controller }: { readonly controller: string | undefined }): JSX.Element {
  const { reason, object } = location.value.query;
  const state = useRead("/api/drops", [], { controller, reason, object, limit: 1_000 });
  return (
    <>
      <div class="filters">
        <FilterSelect label="Reason" name="reason" options={[["", "all"], ...REASONS.map((each) => [each, each] as const)]} />
        {object !== undefined && (
          <span>
            of <ObjectLink path={object} /> <a href={here({ object: undefined })}>Of all objects</a>
          </span>
        )}
      </div>
      <Reading state={state}>
        {({ drops, more }) =>
          drops.length === 0 ? (
            <Empty title="No event was dropped." />
          ) : (
            <>
              <p class="muted" role="status">
                {count(drops.length, "event")} led to no run{more ? "; older ones are left out" : ""}
              </p>
              <VirtualList
                label="Events that led to no run"
                columns={DROP_COLUMNS}
                count={drops.length}
                rowKey={(i) => drops[i]?.sequence ?? i}
                row={(i) => {
                  const drop = drops[i];
                  if (drop === undefined) return [];
                  return [
                    <span key="t" class="mono muted">
                      {formatTime(drop.time)}
                    </span>,
                    <Mark key="r" tone="plain">
                      {drop.reason}
                    </Mark>,
                    drop.object === undefined ? (
                      <span key="o">{drop.key ?? drop.cause?.object?.name ?? ""}</span>
                    ) : (
                      <ObjectLink key="o" path={drop.object} />
                    ),
                    <span key="w" class="ellipsis" title={drop.text}>
                      {drop.text}
                    </span>,
                    <span key="n" class="mono">
                      {drop.count}
                    </span>,
                  ];
                }}
              />
            </>
          )
        }
      </Reading>
    </>
  );
}
