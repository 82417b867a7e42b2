import type { Pod } from "pintle/kinds/core/v1";
import { type ImoocPod, LABEL } from "./imoocpod.ts";

export interface Decision {
  /** With our label and no owner: they become ours. */
  readonly adopt: readonly Pod[];
  /** Ours, but without the label: they go their own way. */
  readonly release: readonly Pod[];
  /** Ended, or too many. */
  readonly remove: readonly Pod[];
  /** How many to create. */
  readonly missing: number;
  /** The number of the first of them: they are counted up from the last, so the newest is known. */
  readonly next: number;
  /** Ours when all that is done, those to create aside. */
  readonly alive: readonly Pod[];
}

/** What to do so that as many pods live as are wanted. */
export function decide({ metadata: { name, uid }, spec: { replicas } }: ImoocPod, pods: readonly Pod[]): Decision {
  const isOurs = (pod: Pod) => controllerOf(pod)?.uid === uid;
  const isLabelled = (pod: Pod) => pod.metadata.labels?.[LABEL] === name;
  const standing = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const hasEnded = ({ status: { phase } }: Pod) => phase === "Failed" || phase === "Succeeded";
  const adopt = standing.filter((pod) => isLabelled(pod) && controllerOf(pod) === undefined && !hasEnded(pod));
  const ours = [...standing.filter((pod) => isOurs(pod) && isLabelled(pod)), ...adopt];
  // The oldest stay: they have served longest, and what was just made is cheapest to lose.
  const living = ours.filter((pod) => !hasEnded(pod)).sort(byAge);
  const last = Math.max(0, ...pods.map((pod) => ordinalOf(pod, name)));
  return {
    adopt,
    release: standing.filter((pod) => isOurs(pod) && !isLabelled(pod)),
    remove: [...ours.filter(hasEnded), ...living.slice(replicas)],
    missing: Math.max(0, replicas - living.length),
    next: last + 1,
    alive: living.slice(0, replicas),
  };
}

export function ownerOf({ apiVersion, kind, metadata: { name, uid } }: ImoocPod) {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true;
}

function controllerOf({ metadata }: Pod) {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** Times are whole seconds; of one second the greater number is newer. */
function byAge(a: Pod, b: Pod): number {
  const [x, y] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return x === y ? ordinalOf(a) - ordinalOf(b) : x < y ? -1 : 1;
}

/** The number at the end of a name that we gave; 0 for other names. */
function ordinalOf({ metadata }: Pod, owner?: string): number {
  const [, before, number] = /^(.*)-(\d+)$/.exec(metadata.name) ?? [];
  return number === undefined || (owner !== undefined && before !== owner) ? 0 : Number(number);
}
