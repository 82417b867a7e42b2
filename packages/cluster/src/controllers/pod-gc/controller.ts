import { Conflict, NotFound } from "pintle/client";
import { Node, Pod } from "pintle/kinds/core/v1";
import { type Outcome, queue } from "pintle/queue";
import { timestamp } from "../../api/index.ts";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { podsByNode } from "../pods-by.ts";

/** How long a node must be gone before its pods are. */
const QUARANTINE = 40_000;
const GONE = { type: "DisruptionTarget", status: "True", reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };

/** Removes pods that nobody will: those of nodes that are gone, and deleted ones that never had a node. */
export function podGarbage({ client, cache, clock }: Plant): Part {
  const pods = cache.watch(Pod);
  const nodes = cache.watch(Node);
  const podsOn = podsByNode(pods);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  /** Since when a node that pods name is missing. */
  const missing = new Map<string, number>();
  const keyOf = ({ metadata }: Pod) => `${metadata.namespace}/${metadata.name}`;
  const isLost = ({ spec }: Pod) => !!spec.nodeName && nodes.get({ name: spec.nodeName }) === undefined;
  const isStray = ({ spec, metadata }: Pod) => !spec.nodeName && metadata.deletionTimestamp !== undefined;
  pods.on(({ new: seen }) => {
    if (seen !== undefined && nodes.isSynced && (isStray(seen) || isLost(seen))) work.add(keyOf(seen));
  });
  nodes.on(({ old, new: seen }) => {
    if (seen !== undefined) return void missing.delete(seen.metadata.name);
    if (pods.isSynced) for (const pod of podsOn(old!.metadata.name)) work.add(keyOf(pod));
  });

  const attend = async (key: string): Promise<Outcome | undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const pod = pods.get({ name, namespace });
    if (pod === undefined) return undefined;
    if (isStray(pod)) return remove(pod);
    if (!isLost(pod)) return undefined;
    const since = missing.get(pod.spec.nodeName!) ?? clock.now();
    missing.set(pod.spec.nodeName!, since);
    const left = since + QUARANTINE - clock.now();
    if (left > 0) return { type: "again", after: left };
    return remove(pod, GONE);
  };
  const remove = async (pod: Pod, condition?: object): Promise<undefined> => {
    const { name, namespace, uid } = pod.metadata;
    try {
      if (pod.status.phase !== "Succeeded" && pod.status.phase !== "Failed") {
        const conditions = condition === undefined ? {} : { conditions: [{ ...condition, lastTransitionTime: timestamp(clock.now()) }] };
        await client.status.patch(
          Pod,
          pod.metadata,
          { strategic: { metadata: { uid }, status: { phase: "Failed", ...conditions } } },
          MANAGED,
        );
      }
      await client.delete(Pod, { name, namespace }, { uid, gracePeriodSeconds: 0 });
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  return queued("pod-garbage-collector-controller", work, [pods, nodes]);
}
