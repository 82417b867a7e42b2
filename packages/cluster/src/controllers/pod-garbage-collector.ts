import { Conflict, NotFound } from "pintle/client";
import type { WorkOutcome } from "pintle/internal/queue";
import { Node, Pod } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../api/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "./component.ts";
import { FIELD_MANAGER } from "./field-manager.ts";
import { getObjectKey, splitObjectKey } from "./shared/object-key.ts";
import { indexPodsByNode } from "./shared/pod-indexes.ts";

/** How long a node must be missing before its pods are deleted. Milliseconds. */
const QUARANTINE_PERIOD = 40_000;
const NODE_DELETED_CONDITION = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByPodGC",
  message: "PodGC: node no longer exists",
};

/** Starts the controller that deletes pods of missing nodes, and terminating pods that were never scheduled. */
export function startPodGarbageCollectorController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const pods = cache.watch(Pod);
  const nodes = cache.watch(Node);
  const podsOn = indexPodsByNode(pods);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  /** Since when each missing node is missing. */
  const missing = new Map<string, number>();
  const isOrphaned = ({ spec }: Pod) => !!spec.nodeName && nodes.get({ name: spec.nodeName }) === undefined;
  const isUnscheduledTerminating = ({ spec, metadata }: Pod) => !spec.nodeName && metadata.deletionTimestamp !== undefined;
  pods.addEventHandler(({ new: current }) => {
    if (current !== undefined && nodes.isSynced && (isUnscheduledTerminating(current) || isOrphaned(current)))
      work.add(getObjectKey(current));
  });
  nodes.addEventHandler(({ old, new: current }) => {
    if (current !== undefined) return void missing.delete(current.metadata.name);
    if (pods.isSynced) for (const pod of podsOn(old!.metadata.name)) work.add(getObjectKey(pod));
  });

  const sync = async (key: string): Promise<WorkOutcome | undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const pod = pods.get({ name, namespace });
    if (pod === undefined) return undefined;
    if (isUnscheduledTerminating(pod)) return deletePod(pod);
    if (!isOrphaned(pod)) return undefined;
    const missingSince = missing.get(pod.spec.nodeName!) ?? clock.now();
    missing.set(pod.spec.nodeName!, missingSince);
    const remaining = missingSince + QUARANTINE_PERIOD - clock.now();
    if (remaining > 0) return { type: "requeue", after: remaining };
    return deletePod(pod, NODE_DELETED_CONDITION);
  };
  const deletePod = async (pod: Pod, condition?: object): Promise<undefined> => {
    const { name, namespace, uid } = pod.metadata;
    try {
      if (pod.status.phase !== "Succeeded" && pod.status.phase !== "Failed") {
        const conditions =
          condition === undefined ? {} : { conditions: [{ ...condition, lastTransitionTime: formatTimestamp(clock.now()) }] };
        await client.status.patch(
          Pod,
          pod.metadata,
          { strategic: { metadata: { uid }, status: { phase: "Failed", ...conditions } } },
          FIELD_MANAGER,
        );
      }
      await client.delete(Pod, { name, namespace }, { uid, gracePeriodSeconds: 0 });
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  return createQueueComponent("pod-garbage-collector-controller", work, [pods, nodes]);
}
