import type { DaemonSet, DaemonSetStatus } from "pintle/kinds/apps/v1";
import type { Node, Pod } from "pintle/kinds/core/v1";
import { availableAt, isReady } from "../pod.ts";
import { daemonFit, daemonSpec, nodeOf } from "./node-fit.ts";

export const REVISION_LABEL = "controller-revision-hash";
const GENERATION_LABEL = "pod-template-generation";

export interface DaemonSetStep {
  /** Nodes that lack a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  /** Pods that failed: they go, and another one comes. */
  readonly failed: readonly Pod[];
  readonly status: DaemonSetStatus;
  readonly again: number | undefined;
}

/** Pure. `hash` is that of the current template. */
export function daemonSetStep(set: DaemonSet, pods: readonly Pod[], nodes: readonly Node[], hash: string, now: number): DaemonSetStep {
  const spec = daemonSpec(set.spec.template);
  const minReady = set.spec.minReadySeconds ?? 0;
  const onNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeOf(pod.spec);
    if (node !== undefined) onNode.set(node, [...(onNode.get(node) ?? []), pod]);
  }
  const isNew = ({ metadata }: Pod) => metadata.labels?.[REVISION_LABEL] === hash;
  const isAvailable = (pod: Pod) => (availableAt(pod, minReady) ?? Number.POSITIVE_INFINITY) <= now;
  const places = nodes.map((node) => ({ name: node.metadata.name, ...daemonFit(spec, node), pods: onNode.get(node.metadata.name) ?? [] }));
  const limits = limitsOf(set, places.filter(({ run }) => run).length);

  const create: string[] = [];
  const remove: Pod[] = [];
  const failed: Pod[] = [];
  for (const { name, run, stay, pods: there } of places) {
    const live = there.filter((pod) => !isGoing(pod));
    const lost = live.filter(({ status }) => status.phase === "Failed" || status.phase === "Succeeded");
    const kept = live.filter((pod) => !lost.includes(pod));
    if (run && there.length === 0) create.push(name);
    else if (!run && !stay) remove.push(...kept);
    else if (run || stay) {
      failed.push(...lost);
      // Of several the eldest stays; while surging, an old one stays beside the new until that is available.
      const old = kept.filter((pod) => !isNew(pod)).sort(byAge);
      const fresh = kept.filter(isNew).sort(byAge);
      remove.push(...fresh.slice(1), ...old.slice(1));
      const [first] = fresh;
      if (first !== undefined && old[0] !== undefined && (limits.surge === 0 || isAvailable(first)))
        remove.push(limits.surge === 0 ? newer(first, old[0]) : old[0]);
    }
  }
  const rolled =
    create.length + remove.length + failed.length > 0 || set.spec.updateStrategy?.type === "OnDelete"
      ? none
      : roll(places, limits, isNew, isAvailable);
  const due = pods.map((pod) => availableAt(pod, minReady)).filter((time): time is number => time !== undefined && time > now);
  return {
    create: [...create, ...rolled.create],
    remove: [...remove, ...rolled.remove],
    failed,
    status: statusOf(set, places, isNew, isAvailable),
    again: due.length === 0 ? undefined : Math.min(...due) - now,
  };
}

interface Place {
  readonly name: string;
  readonly run: boolean;
  readonly stay: boolean;
  readonly pods: readonly Pod[];
}
type Test = (pod: Pod) => boolean;

const none = { create: [] as readonly string[], remove: [] as readonly Pod[] };
const isGoing = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const byAge = (a: Pod, b: Pod) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1);
const newer = (a: Pod, b: Pod) => (byAge(a, b) < 0 ? b : a);

/** The next pods to replace: pods that are down anyway first, then as many as may be missing; or new ones beside the old. */
function roll(places: readonly Place[], { surge, unavailable }: Limits, isNew: Test, isAvailable: Test) {
  const wanted = places.filter(({ run }) => run);
  const old = wanted.flatMap(({ name, pods }) => pods.filter((pod) => !isNew(pod) && !isGoing(pod)).map((pod) => ({ name, pod })));
  if (surge > 0) {
    const surging = wanted.filter(({ pods }) => pods.filter((pod) => !isGoing(pod)).length > 1 || pods.some(isGoing)).length;
    const alone = old.filter(({ name }) => !wanted.find((place) => place.name === name)?.pods.some(isNew));
    const down = alone.filter(({ pod }) => !isAvailable(pod));
    return {
      create: [...down, ...alone.filter((each) => !down.includes(each)).slice(0, Math.max(0, surge - surging))].map(({ name }) => name),
      remove: [],
    };
  }
  const missing = wanted.filter(({ pods }) => !pods.some((pod) => !isGoing(pod) && isAvailable(pod))).length;
  const down = old.filter(({ pod }) => !isAvailable(pod));
  const up = old.filter(({ pod }) => isAvailable(pod)).slice(0, Math.max(0, unavailable - missing));
  return { create: [], remove: [...down, ...up].map(({ pod }) => pod) };
}

interface Limits {
  readonly surge: number;
  readonly unavailable: number;
}

function limitsOf({ spec }: DaemonSet, desired: number): Limits {
  const { maxSurge = 0, maxUnavailable = 1 } = spec.updateStrategy?.rollingUpdate ?? {};
  const share = (value: number | string) => (typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * desired) / 100));
  const surge = share(maxSurge);
  return { surge, unavailable: surge === 0 ? Math.max(1, share(maxUnavailable)) : share(maxUnavailable) };
}

function statusOf(set: DaemonSet, places: readonly Place[], isNew: Test, isAvailable: Test): DaemonSetStatus {
  const wanted = places.filter(({ run }) => run);
  const eldest = ({ pods }: Place) =>
    [...pods].filter((pod) => !isGoing(pod)).sort((a, b) => Number(isReady(b)) - Number(isReady(a)) || byAge(a, b))[0];
  const generation = String(set.metadata.generation);
  const count = (holds: (pod: Pod) => boolean) => wanted.map(eldest).filter((pod): pod is Pod => pod !== undefined && holds(pod)).length;
  const numberAvailable = count((pod) => isReady(pod) && isAvailable(pod));
  return {
    currentNumberScheduled: wanted.filter(({ pods }) => pods.length > 0).length,
    numberMisscheduled: places.filter(({ run, pods }) => !run && pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: count(isReady),
    observedGeneration: set.metadata.generation,
    updatedNumberScheduled: count((pod) => isNew(pod) || pod.metadata.labels?.[GENERATION_LABEL] === generation),
    ...(numberAvailable === 0 ? {} : { numberAvailable }),
    ...(wanted.length - numberAvailable === 0 ? {} : { numberUnavailable: wanted.length - numberAvailable }),
    ...(set.status.collisionCount === undefined ? {} : { collisionCount: set.status.collisionCount }),
    ...(set.status.conditions === undefined ? {} : { conditions: set.status.conditions }),
  };
}
