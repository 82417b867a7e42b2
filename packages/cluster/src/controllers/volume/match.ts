import { labelSelector } from "pintle/cache";
import type { Node, PersistentVolume, PersistentVolumeClaim } from "pintle/kinds/core/v1";
import { compareQuantities } from "../../builtin/index.ts";
import { inTerms } from "../node-selector.ts";

export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
const BETA_CLASS = "volume.beta.kubernetes.io/storage-class";

export function classOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[BETA_CLASS] ?? spec.storageClassName ?? "";
}

const sizeOf = ({ spec }: PersistentVolume) => spec.capacity?.["storage"] ?? "0";
const wantedSize = ({ spec }: PersistentVolumeClaim) => spec.resources?.requests?.["storage"] ?? "0";

export function isClaimedBy({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  if (claimRef?.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return claimRef.uid === undefined || claimRef.uid === "" || claimRef.uid === metadata.uid;
}

/** Whether a volume could serve a claim, whoever has it. */
export function suits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const modes = new Set<string>(volume.spec.accessModes ?? []);
  return (
    volume.metadata.deletionTimestamp === undefined &&
    (volume.spec.volumeMode ?? "Filesystem") === (claim.spec.volumeMode ?? "Filesystem") &&
    compareQuantities(sizeOf(volume), wantedSize(claim)) >= 0 &&
    (claim.spec.accessModes ?? []).every((mode) => modes.has(mode))
  );
}

/** The volume for a claim: one that was meant for it, else the smallest that is free and fits. Pure. */
export function bestMatch(claim: PersistentVolumeClaim, volumes: readonly PersistentVolume[], node?: Node): PersistentVolume | undefined {
  const meant = volumes.find((volume) => volume.spec.claimRef !== undefined && isClaimedBy(volume, claim) && suits(volume, claim));
  if (meant !== undefined) return meant;
  const selector = claim.spec.selector === undefined ? undefined : labelSelector(claim.spec.selector);
  const free = volumes.filter(
    (volume) =>
      volume.spec.claimRef === undefined &&
      volume.status.phase === "Available" &&
      classOf(volume) === classOf(claim) &&
      (selector === undefined || selector.matches(volume.metadata.labels)) &&
      suits(volume, claim) &&
      (node === undefined || isOn(volume, node)),
  );
  return free.sort((a, b) => compareQuantities(sizeOf(a), sizeOf(b)) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

/** Whether a volume can be used on a node. */
export function isOn({ spec }: PersistentVolume, node: Node): boolean {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || inTerms(terms, node);
}
