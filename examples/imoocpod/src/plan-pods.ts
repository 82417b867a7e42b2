import type { Pod } from "pintle/kinds/core/v1";
import { type ImoocPod, LABEL } from "./imoocpod.ts";

export interface PodPlan {
  /** Pods with the label and without an owner. */
  readonly toAdopt: readonly Pod[];
  /** Owned pods without the label. */
  readonly toRelease: readonly Pod[];
  /** Owned pods that terminated or exceed the desired number. */
  readonly toDelete: readonly Pod[];
  /** Number of pods to create. */
  readonly createCount: number;
  /** Ordinal of the first pod to create; ordinals increase, so that the newest pod is known. */
  readonly nextOrdinal: number;
  /** Owned pods that remain after these changes, without the created ones. */
  readonly retained: readonly Pod[];
}

/** Decides which pods to adopt, release, delete and create. */
export function planPods({ metadata: { name, uid }, spec: { replicas } }: ImoocPod, pods: readonly Pod[]): PodPlan {
  const isOwned = (pod: Pod) => controllerOf(pod)?.uid === uid;
  const isLabelled = (pod: Pod) => pod.metadata.labels?.[LABEL] === name;
  const active = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const isTerminated = ({ status: { phase } }: Pod) => phase === "Failed" || phase === "Succeeded";
  const toAdopt = active.filter((pod) => isLabelled(pod) && controllerOf(pod) === undefined && !isTerminated(pod));
  const owned = [...active.filter((pod) => isOwned(pod) && isLabelled(pod)), ...toAdopt];
  // The oldest pods are kept.
  const running = owned.filter((pod) => !isTerminated(pod)).sort(byAge);
  const last = Math.max(0, ...pods.map((pod) => ordinalOf(pod, name)));
  return {
    toAdopt,
    toRelease: active.filter((pod) => isOwned(pod) && !isLabelled(pod)),
    toDelete: [...owned.filter(isTerminated), ...running.slice(replicas)],
    createCount: Math.max(0, replicas - running.length),
    nextOrdinal: last + 1,
    retained: running.slice(0, replicas),
  };
}

export function ownerReference({ apiVersion, kind, metadata: { name, uid } }: ImoocPod) {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true;
}

function controllerOf({ metadata }: Pod) {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** Timestamps have a resolution of one second; the ordinal breaks ties. */
function byAge(a: Pod, b: Pod): number {
  const [x, y] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return x === y ? ordinalOf(a) - ordinalOf(b) : x < y ? -1 : 1;
}

/** Returns the ordinal at the end of a pod name, or 0. */
function ordinalOf({ metadata }: Pod, owner?: string): number {
  const [, before, number] = /^(.*)-(\d+)$/.exec(metadata.name) ?? [];
  return number === undefined || (owner !== undefined && before !== owner) ? 0 : Number(number);
}
