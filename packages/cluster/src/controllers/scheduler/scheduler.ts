import { Conflict, NotFound } from "pintle/client";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { StorageClass } from "pintle/kinds/storage/v1";
import { formatTimestamp } from "../../api/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { SELECTED_NODE_ANNOTATION } from "../persistent-volume/volume-match.ts";
import { getObjectKey, splitObjectKey } from "../shared/object-key.ts";
import { indexPodsByClaim, indexPodsByNode } from "../shared/pod-indexes.ts";
import { isPodFinished } from "../shared/pod-readiness.ts";
import {
  checkInterPodAffinity,
  hasInterPodConstraints,
  hasRequiredAntiAffinity,
  type InterPodAffinityState,
} from "./inter-pod-affinity.ts";
import { type FilterFailure, filterNode, formatUnschedulable, formatUnschedulablePod } from "./node-filters.ts";
import { computePodRequests, createSchedulerCache } from "./scheduler-cache.ts";
import { checkVolumeBinding, resolvePodVolumeClaims, type StorageLister } from "./volume-binding.ts";

const SCHEDULER_NAME = "default-scheduler";
const EVENT_SOURCE = { component: SCHEDULER_NAME, fieldManager: "kube-scheduler" };
const FIELD_MANAGER = { fieldManager: "kube-scheduler" };
const UNSCHEDULED_INDEX = "waits for a node";
const ANTI_AFFINITY_INDEX = "keeps others away";

const isUnscheduled = ({ spec, metadata }: Pod) =>
  !spec.nodeName &&
  metadata.deletionTimestamp === undefined &&
  (spec.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME &&
  !spec.schedulingGates?.length;
const getUnscheduledKeys = (pod: Pod) => (isUnscheduled(pod) ? [UNSCHEDULED_INDEX] : []);
const getAntiAffinityKeys = (pod: Pod) =>
  pod.spec.nodeName && hasRequiredAntiAffinity(pod) && !isPodFinished(pod) ? [ANTI_AFFINITY_INDEX] : [];

/** Starts the scheduler. Of the nodes that pass all filters, it binds the pod to the one with the fewest pods. It does not preempt. */
export function startScheduler({ client, cache, clock, createWorkQueue, events }: ControllerContext): ControlPlaneComponent {
  const nodes = cache.watch(Node);
  const pods = cache.watch(Pod);
  const claims = cache.watch(PersistentVolumeClaim);
  const volumes = cache.watch(PersistentVolume);
  const classes = cache.watch(StorageClass);
  pods.addIndex(UNSCHEDULED_INDEX, getUnscheduledKeys);
  pods.addIndex(ANTI_AFFINITY_INDEX, getAntiAffinityKeys);
  const podsOn = indexPodsByNode(pods);
  const podsWith = indexPodsByClaim(pods);
  const schedulerCache = createSchedulerCache();
  /** Pods that are bound but not yet observed as such in the watch. */
  const assumed = new Map<string, { readonly pod: Pod; readonly node: string }>();
  const work = createWorkQueue({ clock, concurrency: 16, work: ({ key }) => sync(key) });
  const enqueueUnscheduled = () => {
    if (pods.isSynced) for (const pod of pods.byIndex(UNSCHEDULED_INDEX, UNSCHEDULED_INDEX)) work.add(getObjectKey(pod));
  };
  pods.addEventHandler(({ old, new: current }) => {
    const { uid } = (current ?? old)!.metadata;
    if (current !== undefined && isUnscheduled(current)) return work.add(getObjectKey(current));
    assumed.delete(uid);
    if (current?.spec.nodeName && !isPodFinished(current)) return schedulerCache.addPod(uid, current.spec.nodeName, current);
    schedulerCache.removePod(uid);
    // A pod released resources.
    if (old?.spec.nodeName && (current === undefined || !isPodFinished(old))) enqueueUnscheduled();
  });
  // A new or changed node may fit a waiting pod; a heartbeat is no such change.
  nodes.addEventHandler(({ old, new: current }) => {
    if (
      current !== undefined &&
      (old === undefined ||
        old.spec !== current.spec ||
        old.metadata.labels !== current.metadata.labels ||
        old.status.allocatable !== current.status.allocatable)
    )
      enqueueUnscheduled();
  });
  claims.addEventHandler(({ new: current }) => {
    if (current === undefined || !pods.isSynced) return;
    for (const pod of podsWith(getObjectKey(current))) if (isUnscheduled(pod)) work.add(getObjectKey(pod));
  });
  const storage: StorageLister = {
    claim: (name, namespace) => claims.get({ name, namespace }),
    volume: (name) => volumes.get({ name }),
    class: (name) => classes.get({ name }),
    volumes: () => volumes.list(),
  };

  const sync = async (key: string): Promise<undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const pod = pods.get({ name, namespace });
    if (pod === undefined || !isUnscheduled(pod) || assumed.has(pod.metadata.uid)) return;
    try {
      await schedulePod(pod);
    } catch (error) {
      // The pod was deleted, or bound by another scheduler.
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  const schedulePod = async (pod: Pod) => {
    const all = nodes.list();
    const podClaims = resolvePodVolumeClaims(pod, storage);
    if (podClaims.type === "refused") return markUnschedulable(pod, formatUnschedulablePod(all.length, podClaims.why));
    const podRequests = computePodRequests(pod);
    const interPodState = buildInterPodAffinityState(pod, all);
    const failures: FilterFailure[] = [];
    let best: { readonly node: Node; readonly load: number } | undefined;
    for (const node of all) {
      const nodeInfo = schedulerCache.getNodeInfo(node.metadata.name);
      const failure =
        filterNode(pod, podRequests, node, nodeInfo) ??
        checkVolumeBinding(podClaims, node, storage) ??
        (interPodState && checkInterPodAffinity(pod, node, interPodState));
      if (failure !== undefined) failures.push(failure);
      else if (best === undefined || nodeInfo.pods < best.load) best = { node, load: nodeInfo.pods };
    }
    if (best === undefined) return markUnschedulable(pod, formatUnschedulable(failures));
    const { name } = best.node.metadata;
    // The volumes are bound first; the change of the claim then enqueues the pod again.
    const withoutNode = podClaims.open.filter(({ metadata }) => metadata.annotations?.[SELECTED_NODE_ANNOTATION] === undefined);
    for (const { metadata } of withoutNode) {
      await client.patch(
        PersistentVolumeClaim,
        metadata,
        { merge: { metadata: { annotations: { [SELECTED_NODE_ANNOTATION]: name } } } },
        FIELD_MANAGER,
      );
    }
    if (podClaims.open.length === 0) return bindPod(pod, name);
    if (pod.status.nominatedNodeName === name) return;
    await client.status.patch(Pod, pod.metadata, { strategic: { status: { nominatedNodeName: name } } }, FIELD_MANAGER);
  };
  /** Builds the state for inter-pod affinity; undefined if neither the pod nor existing pods have such constraints. */
  const buildInterPodAffinityState = (pod: Pod, all: readonly Node[]): InterPodAffinityState | undefined => {
    const repelling = pods.byIndex(ANTI_AFFINITY_INDEX, ANTI_AFFINITY_INDEX);
    const assumedPods = [...assumed.values()];
    if (!hasInterPodConstraints(pod) && repelling.length === 0 && !assumedPods.some((each) => hasRequiredAntiAffinity(each.pod)))
      return undefined;
    return {
      nodes: all,
      podsWithAntiAffinity: [...repelling, ...assumedPods.map((each) => each.pod).filter(hasRequiredAntiAffinity)],
      getPodsOnNode: (node) => [
        ...podsOn(node).filter((each) => !isPodFinished(each)),
        ...assumedPods.filter((each) => each.node === node).map((each) => each.pod),
      ],
    };
  };
  const bindPod = async (pod: Pod, node: string) => {
    const { uid } = pod.metadata;
    assumed.set(uid, { pod, node });
    schedulerCache.addPod(uid, node, pod);
    try {
      await client.bind(Pod, pod.metadata, node);
    } catch (error) {
      assumed.delete(uid);
      schedulerCache.removePod(uid);
      throw error;
    }
    const message = `Successfully assigned ${getObjectKey(pod)} to ${node}`;
    events.record({ ...EVENT_SOURCE, kind: Pod, object: pod, type: "Normal", reason: "Scheduled", message, action: "Binding" });
  };
  const markUnschedulable = async (pod: Pod, message: string) => {
    const old = pod.status.conditions?.find((c) => c.type === "PodScheduled");
    if (old?.reason === "Unschedulable" && old.message === message) return;
    events.record({ ...EVENT_SOURCE, kind: Pod, object: pod, type: "Warning", reason: "FailedScheduling", message, action: "Scheduling" });
    const lastTransitionTime = old?.status === "False" ? old.lastTransitionTime : formatTimestamp(clock.now());
    const { generation: observedGeneration } = pod.metadata;
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message, lastTransitionTime, observedGeneration };
    await client.status.patch(Pod, pod.metadata, { strategic: { status: { conditions: [condition] } } }, FIELD_MANAGER);
  };
  return createQueueComponent("scheduler", work, [nodes, pods, claims, volumes, classes]);
}
