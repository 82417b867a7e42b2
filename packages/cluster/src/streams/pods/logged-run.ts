import type { ContainerStatus, Pod } from "pintle/kinds/core/v1";
import { badRequest } from "../../status/index.ts";

/** Throws, in the words of a kubelet, where the container has no log to show yet, or none of a run before. */
export function checkLogged(pod: Pod, container: string, previous: boolean): void {
  const named = `container "${container}" in pod "${pod.metadata.name}"`;
  const status = statusOf(pod, container);
  if (status === undefined) throw badRequest(`${named} ${unknown(pod, container)}`);
  const { state, lastState } = status;
  const before = lastState?.terminated;
  if (previous) {
    if (before?.containerID) return;
    throw badRequest(`previous terminated container "${container}" in pod "${pod.metadata.name}" not found`);
  }
  if (state?.running !== undefined || state?.terminated?.containerID || before?.containerID) return;
  if (state?.terminated !== undefined || before !== undefined) throw badRequest(`${named} is terminated`);
  throw badRequest(`${named} is waiting to start${state?.waiting === undefined ? " - no logs yet" : `: ${why(state.waiting.reason)}`}`);
}

function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? []), ...(status.ephemeralContainerStatuses ?? [])];
  return all.find(({ name }) => name === container);
}

/** Before its node has said a word about it, a pod is where a kubelet would begin. */
function unknown({ spec, status }: Pod, container: string): string {
  if ((status.phase ?? "Pending") !== "Pending") return "is not available";
  const initializing = (spec.initContainers?.length ?? 0) > 0 && spec.containers.some(({ name }) => name === container);
  return `is waiting to start: ${initializing ? "PodInitializing" : "ContainerCreating"}`;
}

function why(reason: string | undefined): string {
  if (reason === "ErrImagePull") return "image can't be pulled";
  if (reason === "ImagePullBackOff") return "trying and failing to pull image";
  return reason ?? "";
}
