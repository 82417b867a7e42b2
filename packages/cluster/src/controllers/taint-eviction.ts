import { Conflict, NotFound } from "pintle/client";
import type { WorkOutcome } from "pintle/internal/queue";
import { Node, Pod, type Taint } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../api/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "./component.ts";
import { FIELD_MANAGER } from "./field-manager.ts";
import { getObjectKey, splitObjectKey } from "./shared/object-key.ts";
import { indexPodsByNode } from "./shared/pod-indexes.ts";
import { matchesTaint } from "./shared/tolerations.ts";

const NAME = "taint-eviction-controller";
const REASON = { reason: "DeletionByTaintManager", message: "Taint manager: deleting due to NoExecute taint" };

/** Starts the controller that deletes pods from nodes with NoExecute taints that they do not tolerate, or no longer tolerate. */
export function startTaintEvictionController({ client, cache, clock, createWorkQueue, events }: ControllerContext): ControlPlaneComponent {
  const nodes = cache.watch(Node);
  const pods = cache.watch(Pod);
  const podsOn = indexPodsByNode(pods);
  const work = createWorkQueue({ clock, concurrency: 8, work: ({ key }) => sync(key) });
  /** Pods with a scheduled eviction, so that its cancellation can be reported. */
  const scheduledEvictions = new Set<string>();
  const hasNoExecuteTaint = (node: Node | undefined) => node?.spec.taints?.some(({ effect }) => effect === "NoExecute") === true;
  pods.addEventHandler(({ new: current, old }) => {
    if (current === undefined) return void (old && scheduledEvictions.delete(getObjectKey(old)));
    if (current.spec.nodeName && nodes.isSynced && hasNoExecuteTaint(nodes.get({ name: current.spec.nodeName })))
      work.add(getObjectKey(current));
  });
  nodes.addEventHandler(({ new: current, old }) => {
    if (current === undefined || !pods.isSynced || (!hasNoExecuteTaint(current) && !hasNoExecuteTaint(old))) return;
    for (const pod of podsOn(current.metadata.name)) work.add(getObjectKey(pod));
  });

  const sync = async (key: string): Promise<WorkOutcome | undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const pod = pods.get({ name, namespace });
    const node = pod?.spec.nodeName ? nodes.get({ name: pod.spec.nodeName }) : undefined;
    if (pod === undefined || node === undefined || pod.metadata.deletionTimestamp !== undefined) return void scheduledEvictions.delete(key);
    const now = clock.now();
    const until = getEvictionTime(pod, node, ({ timeAdded }) => (timeAdded === undefined ? now : Date.parse(timeAdded)));
    if (until === undefined) {
      if (scheduledEvictions.delete(key)) recordEvent(pod, `Cancelling deletion of Pod ${key}`);
      return undefined;
    }
    scheduledEvictions.add(key);
    if (until > now) return { type: "requeue", after: until - now };
    recordEvent(pod, `Marking for deletion Pod ${key}`);
    await evict(pod);
    return undefined;
  };
  const recordEvent = (pod: Pod, message: string) =>
    events.record({ component: NAME, kind: Pod, object: pod, type: "Normal", reason: "TaintManagerEviction", message });
  const evict = async ({ metadata }: Pod) => {
    const { uid, name, namespace } = metadata;
    const condition = { type: "DisruptionTarget", status: "True", ...REASON, lastTransitionTime: formatTimestamp(clock.now()) };
    try {
      await client.status.patch(Pod, metadata, { strategic: { metadata: { uid }, status: { conditions: [condition] } } }, FIELD_MANAGER);
      await client.delete(Pod, { name, namespace }, { uid });
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  return createQueueComponent(NAME, work, [nodes, pods]);
}

/**
 * Returns when a pod must leave a node with NoExecute taints, in milliseconds: 0 for at once, undefined for never. The shortest toleration
 * decides. Pure.
 */
function getEvictionTime(pod: Pod, node: Node, since: (taint: Taint) => number): number | undefined {
  const taints = (node.spec.taints ?? []).filter(({ effect }) => effect === "NoExecute");
  let until: number | undefined;
  for (const taint of taints) {
    const tolerations = (pod.spec.tolerations ?? []).filter((toleration) => matchesTaint(toleration, taint));
    if (tolerations.length === 0) return 0;
    const seconds = tolerations.flatMap(({ tolerationSeconds }) =>
      tolerationSeconds === undefined ? [] : [Math.max(0, tolerationSeconds)],
    );
    if (seconds.length > 0) until = Math.min(until ?? Number.POSITIVE_INFINITY, since(taint) + Math.min(...seconds) * 1000);
  }
  return until;
}
