import type { DaemonSet, DaemonSetStatus } from "pintle/kinds/apps/v1";
import type { Node, Pod } from "pintle/kinds/core/v1";
import { getPodAvailableAt, isPodFinished, isPodReady, isPodTerminating } from "../shared/pod-readiness.ts";
import { buildDaemonPodSpec, getTargetNode, nodeShouldRunDaemonPod } from "./node-fit.ts";

export const REVISION_LABEL = "controller-revision-hash";
const GENERATION_LABEL = "pod-template-generation";

export interface DaemonSetPlan {
  /** Names of nodes without a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  /** Failed pods, which are deleted and then replaced. */
  readonly failed: readonly Pod[];
  readonly status: DaemonSetStatus;
  readonly requeueAfter: number | undefined;
}

/** Computes the pods to create and delete and the next status of a DaemonSet. `hash` is the hash of the current template. Pure. */
export function planDaemonSet(set: DaemonSet, pods: readonly Pod[], nodes: readonly Node[], hash: string, now: number): DaemonSetPlan {
  const spec = buildDaemonPodSpec(set.spec.template);
  const minReady = set.spec.minReadySeconds ?? 0;
  const onNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = getTargetNode(pod.spec);
    if (node !== undefined) onNode.set(node, [...(onNode.get(node) ?? []), pod]);
  }
  const isNew = ({ metadata }: Pod) => metadata.labels?.[REVISION_LABEL] === hash;
  const isAvailable = (pod: Pod) => (getPodAvailableAt(pod, minReady) ?? Number.POSITIVE_INFINITY) <= now;
  const daemonNodes = nodes.map((node) => ({
    name: node.metadata.name,
    ...nodeShouldRunDaemonPod(spec, node),
    pods: onNode.get(node.metadata.name) ?? [],
  }));
  const limits = getRolloutLimits(set, daemonNodes.filter(({ shouldRun }) => shouldRun).length);

  const create: string[] = [];
  const remove: Pod[] = [];
  const failed: Pod[] = [];
  for (const { name, shouldRun, shouldContinueRunning, pods: podsOnNode } of daemonNodes) {
    const live = podsOnNode.filter((pod) => !isPodTerminating(pod));
    const finished = live.filter(isPodFinished);
    const running = live.filter((pod) => !finished.includes(pod));
    if (shouldRun && podsOnNode.length === 0) create.push(name);
    else if (!shouldRun && !shouldContinueRunning) remove.push(...running);
    else if (shouldRun || shouldContinueRunning) {
      failed.push(...finished);
      // Of several pods on a node the oldest stays. During a surge, an old pod stays until the new one is available.
      const old = running.filter((pod) => !isNew(pod)).sort(byAge);
      const newPods = running.filter(isNew).sort(byAge);
      remove.push(...newPods.slice(1), ...old.slice(1));
      const [first] = newPods;
      if (first !== undefined && old[0] !== undefined && (limits.surge === 0 || isAvailable(first)))
        remove.push(limits.surge === 0 ? selectNewer(first, old[0]) : old[0]);
    }
  }
  const rollout =
    create.length + remove.length + failed.length > 0 || set.spec.updateStrategy?.type === "OnDelete"
      ? NO_CHANGES
      : planRollingUpdate(daemonNodes, limits, isNew, isAvailable);
  const availableTimes = pods
    .map((pod) => getPodAvailableAt(pod, minReady))
    .filter((time): time is number => time !== undefined && time > now);
  return {
    create: [...create, ...rollout.create],
    remove: [...remove, ...rollout.remove],
    failed,
    status: computeStatus(set, daemonNodes, isNew, isAvailable),
    requeueAfter: availableTimes.length === 0 ? undefined : Math.min(...availableTimes) - now,
  };
}

interface DaemonNode {
  readonly name: string;
  readonly shouldRun: boolean;
  readonly shouldContinueRunning: boolean;
  readonly pods: readonly Pod[];
}
type PodPredicate = (pod: Pod) => boolean;

const NO_CHANGES = { create: [] as readonly string[], remove: [] as readonly Pod[] };
const byAge = (a: Pod, b: Pod) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1);
const selectNewer = (a: Pod, b: Pod) => (byAge(a, b) < 0 ? b : a);

/**
 * Selects the next pods to replace: unavailable ones first, then as many as maxUnavailable permits; or, with maxSurge, the nodes that get
 * an additional pod.
 */
function planRollingUpdate(
  daemonNodes: readonly DaemonNode[],
  { surge, unavailable }: UpdateLimits,
  isNew: PodPredicate,
  isAvailable: PodPredicate,
) {
  const eligible = daemonNodes.filter(({ shouldRun }) => shouldRun);
  const old = eligible.flatMap(({ name, pods }) =>
    pods.filter((pod) => !isNew(pod) && !isPodTerminating(pod)).map((pod) => ({ name, pod })),
  );
  if (surge > 0) {
    const surging = eligible.filter(
      ({ pods }) => pods.filter((pod) => !isPodTerminating(pod)).length > 1 || pods.some(isPodTerminating),
    ).length;
    const withoutNewPod = old.filter(({ name }) => !eligible.find((node) => node.name === name)?.pods.some(isNew));
    const unavailablePods = withoutNewPod.filter(({ pod }) => !isAvailable(pod));
    return {
      create: [
        ...unavailablePods,
        ...withoutNewPod.filter((each) => !unavailablePods.includes(each)).slice(0, Math.max(0, surge - surging)),
      ].map(({ name }) => name),
      remove: [],
    };
  }
  const missing = eligible.filter(({ pods }) => !pods.some((pod) => !isPodTerminating(pod) && isAvailable(pod))).length;
  const unavailablePods = old.filter(({ pod }) => !isAvailable(pod));
  const availablePods = old.filter(({ pod }) => isAvailable(pod)).slice(0, Math.max(0, unavailable - missing));
  return { create: [], remove: [...unavailablePods, ...availablePods].map(({ pod }) => pod) };
}

interface UpdateLimits {
  readonly surge: number;
  readonly unavailable: number;
}

function getRolloutLimits({ spec }: DaemonSet, desired: number): UpdateLimits {
  const { maxSurge = 0, maxUnavailable = 1 } = spec.updateStrategy?.rollingUpdate ?? {};
  const resolvePercentage = (value: number | string) =>
    typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * desired) / 100);
  const surge = resolvePercentage(maxSurge);
  return { surge, unavailable: surge === 0 ? Math.max(1, resolvePercentage(maxUnavailable)) : resolvePercentage(maxUnavailable) };
}

function computeStatus(
  set: DaemonSet,
  daemonNodes: readonly DaemonNode[],
  isNew: PodPredicate,
  isAvailable: PodPredicate,
): DaemonSetStatus {
  const eligible = daemonNodes.filter(({ shouldRun }) => shouldRun);
  const selectOldestPod = ({ pods }: DaemonNode) =>
    [...pods].filter((pod) => !isPodTerminating(pod)).sort((a, b) => Number(isPodReady(b)) - Number(isPodReady(a)) || byAge(a, b))[0];
  const generation = String(set.metadata.generation);
  const count = (predicate: (pod: Pod) => boolean) =>
    eligible.map(selectOldestPod).filter((pod): pod is Pod => pod !== undefined && predicate(pod)).length;
  const numberAvailable = count((pod) => isPodReady(pod) && isAvailable(pod));
  return {
    currentNumberScheduled: eligible.filter(({ pods }) => pods.length > 0).length,
    numberMisscheduled: daemonNodes.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0).length,
    desiredNumberScheduled: eligible.length,
    numberReady: count(isPodReady),
    observedGeneration: set.metadata.generation,
    updatedNumberScheduled: count((pod) => isNew(pod) || pod.metadata.labels?.[GENERATION_LABEL] === generation),
    ...(numberAvailable === 0 ? {} : { numberAvailable }),
    ...(eligible.length - numberAvailable === 0 ? {} : { numberUnavailable: eligible.length - numberAvailable }),
    ...(set.status.collisionCount === undefined ? {} : { collisionCount: set.status.collisionCount }),
    ...(set.status.conditions === undefined ? {} : { conditions: set.status.conditions }),
  };
}
