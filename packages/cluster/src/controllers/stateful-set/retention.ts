import type { OwnerReference } from "pintle/kinds";
import { StatefulSet } from "pintle/kinds/apps/v1";
import { type PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";
import { controlledBy } from "../owner.ts";

/** Who owns a claim, by the set's retention policy; undefined when that is so already. Somebody else's claim stays theirs. Pure. */
export function claimOwners(
  set: StatefulSet,
  claim: PersistentVolumeClaim,
  pod: Pod,
  scaledDown: boolean,
): readonly OwnerReference[] | undefined {
  const had = claim.metadata.ownerReferences ?? [];
  const isOurs = ({ kind, name }: OwnerReference) =>
    (kind === "StatefulSet" && name === set.metadata.name) || (kind === "Pod" && name === pod.metadata.name);
  const others = had.filter((owner) => !isOurs(owner));
  if (others.some(({ controller }) => controller)) return canonical(others as never) === canonical(had as never) ? undefined : others;
  const { whenDeleted = "Retain", whenScaled = "Retain" } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const owner =
    whenScaled === "Delete" && scaledDown
      ? controlledBy(Pod, pod)
      : whenDeleted === "Delete" && !scaledDown
        ? controlledBy(StatefulSet, set)
        : whenDeleted === "Delete" && whenScaled === "Retain"
          ? controlledBy(StatefulSet, set)
          : undefined;
  const wanted = owner === undefined ? others : [...others, owner];
  return canonical(wanted as never) === canonical(had as never) ? undefined : wanted;
}
