import type { Job } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { endOf, hasFailed } from "./pod-facts.ts";

const FIRST = 10_000;
const LONGEST = 600_000;

/** When the next pod may come after failures: later every time, and at once again after a success. Milliseconds. Pure. */
export function nextPodAt(job: Job, pods: readonly Pod[], now: number): number {
  const ended = pods
    .filter((pod) => pod.status.phase === "Succeeded" || hasFailed(job, pod))
    .map((pod) => ({ at: endOf(pod, now), good: pod.status.phase === "Succeeded" }))
    .sort((a, b) => a.at - b.at || Number(a.good) - Number(b.good));
  const since = ended.slice(ended.map(({ good }) => good).lastIndexOf(true) + 1);
  const last = since.at(-1);
  return last === undefined ? 0 : delayed(last.at, since.length);
}

export function delayed(at: number, failures: number): number {
  return at + Math.min(LONGEST, FIRST * 2 ** (failures - 1));
}
