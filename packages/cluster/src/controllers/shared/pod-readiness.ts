import type { Pod } from "pintle/kinds/core/v1";

/** Returns whether a pod counts towards the replicas: neither finished nor terminating. */
export const isPodActive = (pod: Pod) => !isPodTerminating(pod) && !isPodFinished(pod);
export const isPodTerminating = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
export const isPodFinished = ({ status }: Pod) => status.phase === "Succeeded" || status.phase === "Failed";

export function isPodReady(pod: Pod): boolean {
  return getReadyCondition(pod)?.status === "True";
}

/** Returns when a ready pod will have been ready for `minReadySeconds`; undefined while it is not ready. Milliseconds. */
export function getPodAvailableAt(pod: Pod, minReadySeconds: number): number | undefined {
  const ready = getReadyCondition(pod);
  if (ready?.status !== "True") return undefined;
  if (minReadySeconds === 0) return 0;
  return ready.lastTransitionTime === undefined ? undefined : Date.parse(ready.lastTransitionTime) + minReadySeconds * 1000;
}

function getReadyCondition(pod: Pod) {
  return pod.status.conditions?.find((c) => c.type === "Ready");
}
