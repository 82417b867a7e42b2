import type { JsonObject } from "../../json/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import type { ChildHistory } from "../declare/history.ts";
import { HISTORY_ANNOTATION } from "../names.ts";
import type { LiveJsonObject } from "./decide.ts";
import { findCondition } from "./readiness.ts";

type RunState = "running" | "succeeded" | "failed";

/** Returns why each child of a history that is no longer desired is pruned, by uid. Children that are kept are not in the result. */
export function findExpiredChildren(
  { history, kind, limits, last }: ChildHistory,
  children: readonly LiveJsonObject[],
): Map<string, string> {
  const entries = children
    .filter(({ metadata }) => metadata.annotations?.[HISTORY_ANNOTATION] === history)
    .map((live) => ({ metadata: live.metadata, state: runStateOf(kind, live) }))
    .sort((a, b) => compareAge(b.metadata, a.metadata));
  const expired = new Map<string, string>();
  const expire = (limit: number | undefined, states: readonly RunState[], reason: string) => {
    const finished = entries.filter(({ state }) => states.includes(state));
    for (const { metadata } of finished.slice(limit ?? finished.length)) expired.set(metadata.uid, reason);
  };
  expire(last, ["succeeded", "failed"], `not among the last ${last}`);
  expire(limits.succeeded, ["succeeded"], `not among the last ${limits.succeeded} that succeeded`);
  expire(limits.failed, ["failed"], `not among the last ${limits.failed} that failed`);
  if (limits.running === "prune") expire(0, ["running"], "replaced while running");
  return expired;
}

function runStateOf(kind: KindInfo, live: LiveJsonObject): RunState {
  const status = (live["status"] ?? {}) as JsonObject;
  switch (`${kind.group}/${kind.kind}`) {
    case "batch/Job":
      if (findCondition(status, "Complete")?.status === "True") return "succeeded";
      return findCondition(status, "Failed")?.status === "True" ? "failed" : "running";
    case "/Pod":
      return status["phase"] === "Succeeded" ? "succeeded" : status["phase"] === "Failed" ? "failed" : "running";
    default:
      return "succeeded";
  }
}

/** Orders by creation time, then by name: runs that were created in the same second have the time in their name. */
function compareAge(a: LiveJsonObject["metadata"], b: LiveJsonObject["metadata"]): number {
  const [one, other] = [`${a.creationTimestamp} ${a.name}`, `${b.creationTimestamp} ${b.name}`];
  return one < other ? -1 : one > other ? 1 : 0;
}
