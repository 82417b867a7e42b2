import type { RunFact } from "pintle";
import type { Speed } from "../protocol.ts";
import { describeRun } from "./describe-run.ts";
import { lastSequence, numberOf, type RouteContext } from "./route-context.ts";

const WINDOW_MS = 15 * 60_000;
const MAX_BUCKETS = 600;
const SLOWEST = 20;

export function getSpeed(context: RouteContext): Speed {
  const { view, query, at } = context;
  const { index, source } = view;
  const limit = lastSequence(context);
  const end = numberOf(query, "to") ?? (at === undefined ? source.now() : (source.timeOf(at) ?? source.now()));
  const first = index.facts[0]?.time ?? end;
  const start = Math.min(numberOf(query, "from") ?? Math.max(first, end - WINDOW_MS), end - 1);
  const buckets = Math.max(1, Math.min(MAX_BUCKETS, numberOf(query, "buckets") ?? 120));
  const step = Math.max(1, Math.ceil((end - start) / buckets));
  const controller = query.get("controller") || undefined;
  const runsIn: RunFact[][] = Array.from({ length: buckets }, () => []);
  const requests = new Array<number>(buckets).fill(0);
  const marks: Speed["marks"][number][] = [];
  const all: RunFact[] = [];
  for (const fact of index.facts) {
    if (fact.sequence > limit || fact.time < start || fact.time > end) continue;
    const bucket = Math.min(buckets - 1, Math.floor((fact.time - start) / step));
    if (fact.type === "run" && (controller === undefined ? index.ownControllers.has(fact.controller) : fact.controller === controller)) {
      runsIn[bucket]!.push(fact);
      all.push(fact);
    } else if (fact.type === "request" && fact.side === "server") requests[bucket]!++;
    else if (fact.type === "build") marks.push({ time: fact.time, text: `build ${fact.result}` });
    else if (fact.type === "fault") marks.push({ time: fact.time, text: `fault ${fact.fault}` });
  }
  const column = (pick: (run: RunFact) => number, share: number) => runsIn.map((runs) => percentile(runs.map(pick), share));
  const sum = (pick: (run: RunFact) => number) => Math.round(all.reduce((total, run) => total + pick(run), 0));
  // Requests of `reconcile` itself are part of both times.
  const requesting = (run: RunFact) => Math.min(run.requesting ?? 0, run.duration);
  const reconciling = (run: RunFact) => Math.min(run.reconciling ?? 0, run.duration - requesting(run));
  const byController = new Map<string, RunFact[]>();
  for (const run of all) byController.set(run.controller, [...(byController.get(run.controller) ?? []), run]);
  return {
    time: runsIn.map((_, i) => start + i * step),
    step,
    runs: runsIn.map((runs) => runs.length),
    errors: runsIn.map((runs) => runs.filter(({ error }) => error !== undefined).length),
    requests,
    durationP50: column(({ duration }) => duration, 0.5),
    durationP99: column(({ duration }) => duration, 0.99),
    waitedP50: column(({ waited }) => waited, 0.5),
    waitedP99: column(({ waited }) => waited, 0.99),
    parts: {
      waited: sum(({ waited }) => waited),
      reconcile: sum(reconciling),
      requests: sum(requesting),
      rest: sum((run) => run.duration - requesting(run) - reconciling(run)),
    },
    slowest: [...all]
      .sort((a, b) => b.duration - a.duration)
      .slice(0, SLOWEST)
      .map((run) => describeRun(view, run)),
    controllers: [...byController].map(([name, runs]) => ({
      controller: name,
      runs: runs.length,
      errors: runs.filter(({ error }) => error !== undefined).length,
      p50:
        percentile(
          runs.map(({ duration }) => duration),
          0.5,
        ) ?? 0,
      p99:
        percentile(
          runs.map(({ duration }) => duration),
          0.99,
        ) ?? 0,
    })),
    marks,
  };
}

function percentile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
