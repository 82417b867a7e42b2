import type { Deployment } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import type { Application } from "./application.ts";

/**
 * Builds the conditions: Available if enough pods are ready, Progressing until all pods match the spec. A pod problem, if there is one,
 * becomes the reason.
 */
export function buildConditions({ spec: { replicas, image } }: Application, deployment: Deployment | undefined, pods: readonly Pod[]) {
  const { readyReplicas: ready = 0, updatedReplicas: updated = 0, replicas: all = 0, observedGeneration } = deployment?.status ?? {};
  const isAvailable = deployment !== undefined && ready >= replicas;
  const isObserved = deployment !== undefined && observedGeneration === deployment.metadata.generation;
  const isComplete = isObserved && isAvailable && updated === replicas && all === replicas;
  const problem = isComplete ? undefined : pods.map(podProblem).find((each) => each !== undefined);
  const readyMessage = `${ready} of ${replicas} pods are ready`;
  return {
    Available: isAvailable
      ? { status: true, reason: "PodsReady", message: readyMessage }
      : { status: false, reason: "PodsNotReady", message: readyMessage, ...problem },
    Progressing: isComplete
      ? { status: false, reason: "Complete", message: `${replicas} pods run ${image}` }
      : { status: true, reason: "RollingOut", message: `${updated} of ${replicas} pods are up to date`, ...problem },
  };
}

/** Returns reason and message of a waiting container or an unschedulable pod. */
function podProblem({ metadata: { name }, status }: Pod) {
  for (const { state } of status.containerStatuses ?? []) {
    const { reason, message } = state?.waiting ?? {};
    if (reason !== undefined && reason !== "ContainerCreating" && reason !== "PodInitializing")
      return { reason, message: `${name}: ${message ?? reason}` };
  }
  const unscheduled = status.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False");
  return unscheduled && { reason: unscheduled.reason ?? "Unschedulable", message: `${name}: ${unscheduled.message ?? "not scheduled"}` };
}
