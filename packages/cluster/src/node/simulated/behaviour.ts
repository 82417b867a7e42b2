import type { Pod } from "pintle/kinds/core/v1";
import { getControllerOf } from "../../controllers/index.ts";

/** The annotation that selects the behaviour of a simulated pod. Default: "run"; for pods of Jobs "complete". */
export const BEHAVIOUR_ANNOTATION = "node.pintle.dev/behaviour";
/** The exit code of its containers, if they exit. Default: 1. */
export const EXIT_CODE_ANNOTATION = "node.pintle.dev/exit-code";
/** The delays until the pod is ready, and until its containers exit. Seconds. */
export const READY_AFTER_ANNOTATION = "node.pintle.dev/ready-after";
export const ENDS_AFTER_ANNOTATION = "node.pintle.dev/ends-after";
/** The log of its containers. Default: one line. */
export const LOGS_ANNOTATION = "node.pintle.dev/logs";
/** What each container of a pod uses, as quantities. Default: what it requests. */
export const CPU_USAGE_ANNOTATION = "node.pintle.dev/cpu-usage";
export const MEMORY_USAGE_ANNOTATION = "node.pintle.dev/memory-usage";

export type PodBehaviour = "run" | "complete" | "fail" | "crash-loop" | "image-pull-error" | "never-ready";
const BEHAVIOURS: readonly string[] = ["run", "complete", "fail", "crash-loop", "image-pull-error", "never-ready"];

export function getBehaviour(pod: Pod): PodBehaviour {
  const requested = pod.metadata.annotations?.[BEHAVIOUR_ANNOTATION];
  if (requested !== undefined && BEHAVIOURS.includes(requested)) return requested as PodBehaviour;
  return getControllerOf(pod)?.kind === "Job" ? "complete" : "run";
}

/** Returns what is wrong with the annotation; `undefined` if nothing is. */
export function describeUnknownBehaviour(pod: Pod): string | undefined {
  const requested = pod.metadata.annotations?.[BEHAVIOUR_ANNOTATION];
  if (requested === undefined || BEHAVIOURS.includes(requested)) return undefined;
  return `annotation ${BEHAVIOUR_ANNOTATION}: no behaviour ${JSON.stringify(requested)}; known are ${BEHAVIOURS.join(", ")}. The pod behaves as without it`;
}

/** Returns the seconds of an annotation in milliseconds. */
export function getDelay(pod: Pod, annotation: string): number {
  const seconds = Number(pod.metadata.annotations?.[annotation] ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

export function getExitCode(pod: Pod): number {
  const code = Number(pod.metadata.annotations?.[EXIT_CODE_ANNOTATION] ?? 1);
  return Number.isInteger(code) && code !== 0 ? code : 1;
}
