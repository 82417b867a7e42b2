import type { StatefulSet } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";

export const getStartOrdinal = ({ spec }: StatefulSet) => spec.ordinals?.start ?? 0;
export const getReplicas = ({ spec }: StatefulSet) => spec.replicas ?? 1;

/** Returns the number at the end of a pod's name; undefined if the name does not belong to the StatefulSet. */
export function getOrdinal(set: StatefulSet, { metadata: { name } }: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const number = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^\d+$/.test(number) ? Number(number) : undefined;
}

export function isOrdinalInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= getStartOrdinal(set) && ordinal < getStartOrdinal(set) + getReplicas(set);
}
