import type { RunFact } from "pintle";
import { compareTrouble } from "../objects/index.ts";
import type { Flapping, Now, ObjectSummary, Trouble } from "../protocol.ts";
import { describeCommit } from "./describe-commit.ts";
import { describeRun } from "./describe-run.ts";
import { listLastRuns } from "./last-runs.ts";
import { listSummaries, ownResources } from "./objects.ts";
import { listQueues } from "./queues.ts";
import { listDenied } from "./requests.ts";
import { lastSequence, type RouteContext } from "./route-context.ts";
import { describeBuild } from "./session.ts";
import { findExcerpt } from "./source-excerpt.ts";
import { listWatches } from "./watches.ts";

const MAX_OBJECTS = 500;

export function getNow(context: RouteContext): Now {
  const { view, at } = context;
  const { index, source } = view;
  const limit = lastSequence(context);
  const state = view.state(at);
  const own = ownResources(context);
  const objects = state === undefined ? [] : listSummaries(context, state, (path) => own.has(path.split("/", 2).join("/")));
  const queues = listQueues(context);
  const lastRuns = listLastRuns(context);
  let runs = 0;
  let failedRuns = 0;
  for (const fact of index.facts) {
    if (fact.sequence > limit) break;
    if (fact.type !== "run" || !index.ownControllers.has(fact.controller)) continue;
    runs++;
    if (fact.error !== undefined) failedRuns++;
  }
  const failing = listFailing(context, lastRuns);
  const failingObjects = new Set(failing.map(({ object }) => object));
  const troubles: Trouble[] = [
    ...listBuildTroubles(context),
    ...listExit(context),
    ...listDenied(context)
      .filter((group) => isCurrent(group.runs, lastRuns, index))
      .map(
        (denied): Trouble => ({
          kind: "forbidden",
          title: `403 ${denied.verb} ${denied.resource}`,
          detail: denied.message,
          advice: denied.line,
          since: denied.last,
          count: denied.count,
          run: denied.runs.at(-1),
          denied,
        }),
      ),
    ...failing,
    ...findFlapping(context).map(
      (flapping): Trouble => ({
        kind: "flapping",
        title: `${flapping.managers.join(" and ")} overwrite ${flapping.field} of each other`,
        detail: `${flapping.perMinute} changes per minute`,
        advice: "Remove the field from one of them.",
        object: flapping.object,
        flapping,
      }),
    ),
    ...listWatches(context)
      .filter((watch) => watch.state === "failed")
      .map(
        ({ kind, namespace, problem, problemTime, controllers }): Trouble => ({
          kind: "watch",
          title: `The watch of ${kind}${namespace === undefined ? "" : ` in ${namespace}`} is broken`,
          detail: problem,
          since: problemTime,
          controller: controllers[0],
        }),
      ),
    ...objects
      .filter((object) => object.state === "failed" && !failingObjects.has(object.path))
      .slice(0, 20)
      .map(
        ({ path, kind, name, namespace, stateText }): Trouble => ({
          kind: "object",
          title: `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`,
          detail: stateText,
          object: path,
        }),
      ),
  ];
  const waiting = queues.reduce((sum, queue) => sum + queue.ready.length + queue.running.length, 0);
  const isSettled =
    troubles.length === 0 &&
    waiting === 0 &&
    objects.every((object) => object.state !== "progressing") &&
    (source.operatorState?.().state ?? "running") === "running";
  return {
    settled: isSettled,
    troubles,
    objects: [...objects].sort(compareTrouble).slice(0, MAX_OBJECTS) satisfies readonly ObjectSummary[],
    counts: { objects: state?.entries.size ?? 0, runs, failedRuns, requests: index.requests.size, waiting },
  };
}

/** A refusal is over once the keys that met it succeed; one of a watch, or without runs, stays. */
function isCurrent(runs: readonly string[], last: ReadonlyMap<string, RunFact>, { runs: known }: RouteContext["view"]["index"]): boolean {
  if (runs.length === 0) return true;
  return runs.some((id) => {
    const run = known.get(id);
    return run !== undefined && last.get(`${run.controller} ${run.key}`)?.error !== undefined;
  });
}

function listBuildTroubles({ view, at }: RouteContext): readonly Trouble[] {
  const build = at === undefined ? describeBuild(view) : undefined;
  if (build?.result !== "failed") return [];
  const [first] = build.problems;
  return [
    {
      kind: "build",
      title: `${build.entry} does not compile; the previous build keeps running`,
      detail: build.problems.map(({ text }) => text).join("\n"),
      since: build.time,
      excerpt: first?.excerpt,
    },
  ];
}

function listExit({ view: { source }, at }: RouteContext): readonly Trouble[] {
  const operator = at === undefined ? source.operatorState?.() : undefined;
  return operator?.state === "stopped"
    ? [
        {
          kind: "exited",
          title: "The operator has exited",
          advice: "It restarts with the next source change, or by restart in the lab.",
          since: operator.since,
        },
      ]
    : [];
}

function listFailing({ view, at }: RouteContext, last: ReadonlyMap<string, RunFact>): readonly Trouble[] {
  return [...last.values()]
    .filter(({ error }) => error !== undefined)
    .sort((a, b) => b.time - a.time)
    .slice(0, 50)
    .map((run): Trouble => {
      const { nextRetry, object } = describeRun(view, run);
      return {
        kind: "failing",
        title: `${run.controller} ${run.key} fails`,
        detail: run.error,
        object,
        run: run.id,
        controller: run.controller,
        since: run.time,
        nextRetry: at === undefined ? nextRetry : undefined,
        excerpt: findExcerpt(view.source, run.frames ?? []),
      };
    });
}

const FLAPPING_COMMITS = 3_000;
const FLAPPING_CHANGES = 4;

/** Fields that several writers change back and forth: at least four changes among few values, the last two of them by different writers. */
export function findFlapping(context: RouteContext): readonly Flapping[] {
  const { view, at } = context;
  const state = view.state(at);
  if (state === undefined) return [];
  const byKey = new Map<string, number>();
  const recent = state.history.slice(-FLAPPING_COMMITS).filter(({ type, previous }) => type === "put" && previous !== undefined);
  for (const { key } of recent) byKey.set(key, (byKey.get(key) ?? 0) + 1);
  const fields = new Map<string, { object: string; field: string; times: number[]; writers: string[]; values: string[]; last: number }>();
  for (const commit of recent) {
    if ((byKey.get(commit.key) ?? 0) < FLAPPING_CHANGES || /^\/registry\/(events|leases)\//.test(commit.key)) continue;
    const described = describeCommit(view, commit);
    const writer = described.controller ?? described.manager ?? described.user ?? "unknown";
    for (const { path, new: now } of described.changes) {
      if (path.startsWith(".status") || path.startsWith(".metadata.generation")) continue;
      const id = `${commit.key} ${path}`;
      const known = fields.get(id) ?? {
        object:
          view.index.names.pathOf({
            kind: String(commit.value["kind"]),
            ...(commit.value["metadata"] as { name: string; namespace?: string; uid?: string }),
          }) ?? "",
        field: path,
        times: [],
        writers: [],
        values: [],
        last: 0,
      };
      fields.set(id, known);
      known.times.push(described.time);
      known.writers.push(writer);
      known.values.push(JSON.stringify(now) ?? "");
      known.last = commit.revision;
    }
  }
  const now = at === undefined ? view.source.now() : (view.source.timeOf(at) ?? view.source.now());
  return [...fields.values()].flatMap(({ object, field, times, writers, values, last }) => {
    const distinct = [...new Set(values.slice(-6))];
    const managers = [...new Set(writers.slice(-6))];
    if (values.length < FLAPPING_CHANGES || distinct.length > values.slice(-6).length / 2 || managers.length < 2) return [];
    const span = Math.max(1_000, times.at(-1)! - times[0]!);
    if (now - times.at(-1)! > 60_000) return [];
    return [
      {
        object,
        field,
        managers,
        perMinute: Math.round(((times.length - 1) / span) * 60_000),
        values: distinct.map((text) => (text === "" ? null : JSON.parse(text))),
        lastRevision: last,
      },
    ];
  });
}
