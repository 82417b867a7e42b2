import type { Deployment } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import type { Application } from "./application.ts";

/** Available: enough pods are ready. Progressing: not all of them are as the spec says. Where something is in the way, it is the reason. */
export function conditionsOf({ spec: { replicas, image } }: Application, deployment: Deployment | undefined, pods: readonly Pod[]) {
  const { readyReplicas: ready = 0, updatedReplicas: updated = 0, replicas: all = 0, observedGeneration } = deployment?.status ?? {};
  const isAvailable = deployment !== undefined && ready >= replicas;
  const isSeen = deployment !== undefined && observedGeneration === deployment.metadata.generation;
  const isDone = isSeen && isAvailable && updated === replicas && all === replicas;
  const trouble = isDone ? undefined : pods.map(troubleOf).find((each) => each !== undefined);
  const counted = `${ready} of ${replicas} pods are ready`;
  return {
    Available: isAvailable
      ? { status: true, reason: "PodsReady", message: counted }
      : { status: false, reason: "PodsNotReady", message: counted, ...trouble },
    Progressing: isDone
      ? { status: false, reason: "Complete", message: `${replicas} pods run ${image}` }
      : { status: true, reason: "RollingOut", message: `${updated} of ${replicas} pods are as they should be`, ...trouble },
  };
}

/** What keeps a pod from being ready, in the words of whoever knows: a container that waits, or the scheduler. */
function troubleOf({ metadata: { name }, status }: Pod) {
  for (const { state } of status.containerStatuses ?? []) {
    const { reason, message } = state?.waiting ?? {};
    if (reason !== undefined && reason !== "ContainerCreating" && reason !== "PodInitializing")
      return { reason, message: `${name}: ${message ?? reason}` };
  }
  const unscheduled = status.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False");
  return unscheduled && { reason: unscheduled.reason ?? "Unschedulable", message: `${name}: ${unscheduled.message ?? "has no node"}` };
}
