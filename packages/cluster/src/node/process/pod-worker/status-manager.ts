import { Conflict, NotFound } from "pintle/client";
import { Pod, type PodStatus } from "pintle/kinds/core/v1";
import type { NodeContext } from "../node-context.ts";

/** Sends the status of a pod to the API server if it changed. */
export interface PodStatusManager {
  /** Returns the pod with the last sent status, which may not be observed yet. */
  withLastStatus(pod: Pod): Pod;
  setPodStatus(pod: Pod, status: PodStatus): Promise<void>;
}

const KUBELET_CONDITIONS: readonly string[] = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
const FIELD_MANAGER = { fieldManager: "kubelet" };

export function createPodStatusManager({ client }: NodeContext): PodStatusManager {
  let lastStatus: PodStatus | undefined;
  return {
    withLastStatus(pod) {
      if (lastStatus === undefined) return pod;
      const { conditions: kubeletConditions = [], startTime, phase } = lastStatus;
      const others = (pod.status.conditions ?? []).filter(({ type }) => !KUBELET_CONDITIONS.includes(type));
      const conditions = [...kubeletConditions.filter(({ type }) => KUBELET_CONDITIONS.includes(type)), ...others];
      return { ...pod, status: { ...pod.status, startTime: pod.status.startTime ?? startTime, phase, conditions } };
    },
    async setPodStatus(pod, status) {
      if (JSON.stringify(status) === JSON.stringify(lastStatus)) return;
      const { name, namespace, uid } = pod.metadata;
      const conditions = (status.conditions ?? []).map((condition) => ({ reason: null, message: null, ...condition }));
      try {
        await client.status.patch(
          Pod,
          { name, namespace },
          { strategic: { metadata: { uid }, status: { ...status, conditions } } },
          FIELD_MANAGER,
        );
        lastStatus = status;
      } catch (error) {
        // The pod was deleted, or replaced by another one of the same name.
        if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
      }
    },
  };
}
