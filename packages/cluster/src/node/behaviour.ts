import type { Pod } from "pintle/kinds/core/v1";
import { controllerOf } from "../controllers/index.ts";

/** What a simulated pod does, where its annotation says so. Default: it runs; pods of Jobs run to their end. */
export const BEHAVIOUR = "node.pintle.dev/behaviour";
/** With which code its containers end, where they do. */
export const EXIT_CODE = "node.pintle.dev/exit-code";
/** How long it takes until it is ready, and until it ends: seconds. */
export const READY_AFTER = "node.pintle.dev/ready-after";
export const ENDS_AFTER = "node.pintle.dev/ends-after";
/** What its containers have written, instead of the one line they write otherwise. */
export const LOGS = "node.pintle.dev/logs";

export type Behaviour = "run" | "complete" | "fail" | "crash-loop" | "image-pull-error" | "never-ready";
const ALL: readonly string[] = ["run", "complete", "fail", "crash-loop", "image-pull-error", "never-ready"];

export function behaviourOf(pod: Pod): Behaviour {
  const asked = pod.metadata.annotations?.[BEHAVIOUR];
  if (asked !== undefined && ALL.includes(asked)) return asked as Behaviour;
  return controllerOf(pod)?.kind === "Job" ? "complete" : "run";
}

/** A number of seconds from an annotation, in milliseconds. */
export function waitOf(pod: Pod, annotation: string): number {
  const seconds = Number(pod.metadata.annotations?.[annotation] ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

export function exitCodeOf(pod: Pod): number {
  const code = Number(pod.metadata.annotations?.[EXIT_CODE] ?? 1);
  return Number.isInteger(code) && code !== 0 ? code : 1;
}
