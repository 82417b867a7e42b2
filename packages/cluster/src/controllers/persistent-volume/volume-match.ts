import { compileLabelSelector } from "pintle/internal/selectors";
import type { Node, PersistentVolume, PersistentVolumeClaim } from "pintle/kinds/core/v1";
import { compareQuantities } from "../../builtin/index.ts";
import { matchesNodeSelectorTerms } from "../shared/node-affinity.ts";

export const SELECTED_NODE_ANNOTATION = "volume.kubernetes.io/selected-node";
const BETA_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

export function getStorageClassName({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[BETA_CLASS_ANNOTATION] ?? spec.storageClassName ?? "";
}

const getCapacity = ({ spec }: PersistentVolume) => spec.capacity?.["storage"] ?? "0";
const getRequestedCapacity = ({ spec }: PersistentVolumeClaim) => spec.resources?.requests?.["storage"] ?? "0";

export function isVolumeClaimedBy({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  if (claimRef?.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return claimRef.uid === undefined || claimRef.uid === "" || claimRef.uid === metadata.uid;
}

/** Returns whether a volume satisfies a claim, regardless of its current binding. */
export function isVolumeCompatible(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const modes = new Set<string>(volume.spec.accessModes ?? []);
  return (
    volume.metadata.deletionTimestamp === undefined &&
    (volume.spec.volumeMode ?? "Filesystem") === (claim.spec.volumeMode ?? "Filesystem") &&
    compareQuantities(getCapacity(volume), getRequestedCapacity(claim)) >= 0 &&
    (claim.spec.accessModes ?? []).every((mode) => modes.has(mode))
  );
}

/** Finds the volume for a claim: one that is pre-bound to it, otherwise the smallest available one. Pure. */
export function findBestMatch(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  node?: Node,
): PersistentVolume | undefined {
  const preBound = volumes.find(
    (volume) => volume.spec.claimRef !== undefined && isVolumeClaimedBy(volume, claim) && isVolumeCompatible(volume, claim),
  );
  if (preBound !== undefined) return preBound;
  const selector = claim.spec.selector === undefined ? undefined : compileLabelSelector(claim.spec.selector);
  const available = volumes.filter(
    (volume) =>
      volume.spec.claimRef === undefined &&
      volume.status.phase === "Available" &&
      getStorageClassName(volume) === getStorageClassName(claim) &&
      (selector === undefined || selector.matches(volume.metadata.labels)) &&
      isVolumeCompatible(volume, claim) &&
      (node === undefined || isVolumeAvailableOnNode(volume, node)),
  );
  return available.sort((a, b) => compareQuantities(getCapacity(a), getCapacity(b)) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

/** Returns whether the node affinity of a volume admits a node. */
export function isVolumeAvailableOnNode({ spec }: PersistentVolume, node: Node): boolean {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || matchesNodeSelectorTerms(terms, node);
}
