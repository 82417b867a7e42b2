import type { Deployment } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import type { Memcached } from "./memcached.ts";

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true;
}

/** Returns the Available condition: true if the desired number of pods is ready, otherwise with the pod problem as reason. */
export function availableCondition({ spec: { size } }: Memcached, pods: readonly Pod[]) {
  const ready = pods.filter(isReady).length;
  const message = `${ready} of ${size} pods are ready`;
  if (ready >= size) return { status: true, reason: "Ready", message };
  const pending = pods.filter(({ status }) => status.phase === "Pending").length;
  const reason = pending > 0 ? "PodsPending" : "PodsMissing";
  return { status: false, reason, message: `${message}, ${pending} are pending`, ...firstPodProblem(pods) };
}

/** Returns the Progressing condition: true while pods are created, replaced or deleted, with the pod problem as reason. */
export function progressingCondition({ spec: { size, image } }: Memcached, deployment: Deployment | undefined, pods: readonly Pod[]) {
  const { observedGeneration, updatedReplicas = 0, replicas = 0 } = deployment?.status ?? {};
  const isObserved = deployment !== undefined && observedGeneration === deployment.metadata.generation;
  const isComplete = isObserved && updatedReplicas === size && replicas === size;
  if (isComplete) return { status: false, reason: "Complete", message: `${size} pods run ${image}` };
  return {
    status: true,
    reason: "RollingOut",
    message: `${updatedReplicas} of ${size} pods are up to date`,
    ...firstPodProblem(pods),
  };
}

/** Returns why a pod does not start: its image, its configuration, or scheduling. */
function firstPodProblem(pods: readonly Pod[]) {
  return pods.map(podProblem).find((each) => each !== undefined);
}

function podProblem({ metadata: { name }, status }: Pod) {
  const [waiting] = (status.containerStatuses ?? []).flatMap(({ state }) => state?.waiting ?? []);
  if (waiting?.reason !== undefined && waiting.reason !== "ContainerCreating")
    return { reason: waiting.reason, message: `${name}: ${waiting.message ?? waiting.reason}` };
  const unscheduled = status.conditions?.find((each) => each.type === "PodScheduled" && each.status === "False");
  return unscheduled && { reason: unscheduled.reason ?? "Unschedulable", message: `${name}: ${unscheduled.message ?? "not scheduled"}` };
}
