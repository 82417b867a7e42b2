import type { RunFact } from "pintle";
import type { ObjectSummary } from "../protocol.ts";
import { lastSequence, type RouteContext } from "./route-context.ts";

/** The last run of each key of the operator's controllers that has ended, by controller and key. */
export function listLastRuns(context: RouteContext): ReadonlyMap<string, RunFact> {
  const { index } = context.view;
  const limit = lastSequence(context);
  const last = new Map<string, RunFact>();
  for (const fact of index.facts) {
    if (fact.sequence > limit) break;
    if (fact.type === "run" && index.ownControllers.has(fact.controller)) last.set(`${fact.controller} ${fact.key}`, fact);
  }
  return last;
}

/** Marks objects whose controller fails: their status is from before the failure, or was never written. */
export function markFailing(context: RouteContext, summaries: readonly ObjectSummary[]): readonly ObjectSummary[] {
  const errors = new Map<string, string>();
  for (const { controller, key, error } of listLastRuns(context).values()) {
    const path = error === undefined ? undefined : context.view.index.pathOfRun(controller, key);
    if (path !== undefined && error !== undefined) errors.set(path, `${controller} fails: ${error.split("\n")[0]}`.slice(0, 300));
  }
  if (errors.size === 0) return summaries;
  return summaries.map((summary) => {
    const text = errors.get(summary.path);
    return text === undefined || summary.deleted !== undefined || summary.state === "failed"
      ? summary
      : { ...summary, state: "failed", stateText: text };
  });
}
