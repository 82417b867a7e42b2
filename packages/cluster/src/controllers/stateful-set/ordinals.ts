import type { StatefulSet } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";

export const startOf = ({ spec }: StatefulSet) => spec.ordinals?.start ?? 0;
export const sizeOf = ({ spec }: StatefulSet) => spec.replicas ?? 1;

/** The number at the end of a pod's name; undefined for a name that is none of this set's. */
export function ordinalOf(set: StatefulSet, { metadata: { name } }: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const number = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^\d+$/.test(number) ? Number(number) : undefined;
}

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= startOf(set) && ordinal < startOf(set) + sizeOf(set);
}
