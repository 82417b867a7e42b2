import type { Pod } from "pintle/kinds/core/v1";

/** Counts towards a replica count: neither finished nor going. */
export function isActive(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && pod.status.phase !== "Succeeded" && pod.status.phase !== "Failed";
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

/** When a ready pod will have been ready for `minReadySeconds`; undefined while it is not ready. Milliseconds. */
export function availableAt(pod: Pod, minReadySeconds: number): number | undefined {
  const ready = readyCondition(pod);
  if (ready?.status !== "True") return undefined;
  if (minReadySeconds === 0) return 0;
  return ready.lastTransitionTime === undefined ? undefined : Date.parse(ready.lastTransitionTime) + minReadySeconds * 1000;
}

function readyCondition(pod: Pod) {
  return pod.status.conditions?.find((c) => c.type === "Ready");
}
