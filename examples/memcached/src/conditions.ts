import type { Deployment } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import type { Memcached } from "./memcached.ts";

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true;
}

/** True only when as many pods as are wanted answer; else in the words of whoever knows why. */
export function availability({ spec: { size } }: Memcached, pods: readonly Pod[]) {
  const ready = pods.filter(isReady).length;
  const message = `${ready} of ${size} pods are ready`;
  if (ready >= size) return { status: true, reason: "Ready", message };
  const pending = pods.filter(({ status }) => status.phase === "Pending").length;
  const reason = pending > 0 ? "PodsPending" : "PodsMissing";
  return { status: false, reason, message: `${message}, ${pending} are pending`, ...troubleOf(pods) };
}

/** True while pods are made, replaced or removed; what is in the way is the reason. */
export function progress({ spec: { size, image } }: Memcached, deployment: Deployment | undefined, pods: readonly Pod[]) {
  const { observedGeneration, updatedReplicas = 0, replicas = 0 } = deployment?.status ?? {};
  const isSeen = deployment !== undefined && observedGeneration === deployment.metadata.generation;
  const isDone = isSeen && updatedReplicas === size && replicas === size;
  if (isDone) return { status: false, reason: "Complete", message: `${size} pods run ${image}` };
  return { status: true, reason: "RollingOut", message: `${updatedReplicas} of ${size} pods are as they should be`, ...troubleOf(pods) };
}

/** Why a pod is not even started: its image, its configuration, or no node for it. */
function troubleOf(pods: readonly Pod[]) {
  return pods.map(trouble).find((each) => each !== undefined);
}

function trouble({ metadata: { name }, status }: Pod) {
  const [waiting] = (status.containerStatuses ?? []).flatMap(({ state }) => state?.waiting ?? []);
  if (waiting?.reason !== undefined && waiting.reason !== "ContainerCreating")
    return { reason: waiting.reason, message: `${name}: ${waiting.message ?? waiting.reason}` };
  const unscheduled = status.conditions?.find((each) => each.type === "PodScheduled" && each.status === "False");
  return unscheduled && { reason: unscheduled.reason ?? "Unschedulable", message: `${name}: ${unscheduled.message ?? "has no node"}` };
}
