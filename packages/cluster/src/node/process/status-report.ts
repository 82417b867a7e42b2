import { Conflict, NotFound } from "pintle/client";
import { Pod, type PodStatus } from "pintle/kinds/core/v1";
import type { Ground } from "./ground.ts";

/** Tells the API server how a pod is, when that is news. */
export interface StatusReport {
  /** The pod with what was said of it last, even where that has not come back yet. */
  known(pod: Pod): Pod;
  send(pod: Pod, status: PodStatus): Promise<void>;
}

const OWN: readonly string[] = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
const manager = { fieldManager: "kubelet" };

export function statusReport({ client }: Ground): StatusReport {
  let last: PodStatus | undefined;
  return {
    known(pod) {
      if (last === undefined) return pod;
      const { conditions: ours = [], startTime, phase } = last;
      const others = (pod.status.conditions ?? []).filter(({ type }) => !OWN.includes(type));
      const conditions = [...ours.filter(({ type }) => OWN.includes(type)), ...others];
      return { ...pod, status: { ...pod.status, startTime: pod.status.startTime ?? startTime, phase, conditions } };
    },
    async send(pod, status) {
      if (JSON.stringify(status) === JSON.stringify(last)) return;
      const { name, namespace, uid } = pod.metadata;
      const conditions = (status.conditions ?? []).map((condition) => ({ reason: null, message: null, ...condition }));
      try {
        await client.status.patch(
          Pod,
          { name, namespace },
          { strategic: { metadata: { uid }, status: { ...status, conditions } } },
          manager,
        );
        last = status;
      } catch (error) {
        // It is gone, or another one has its name.
        if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
      }
    },
  };
}
