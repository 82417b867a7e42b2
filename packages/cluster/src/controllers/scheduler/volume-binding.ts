import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import type { StorageClass } from "pintle/kinds/storage/v1";
import {
  findBestMatch,
  getStorageClassName,
  isVolumeAvailableOnNode,
  SELECTED_NODE_ANNOTATION,
} from "../persistent-volume/volume-match.ts";
import type { FilterFailure } from "./node-filters.ts";

/** Read access to claims, volumes and storage classes. */
export interface StorageLister {
  claim(name: string, namespace: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  class(name: string): StorageClass | undefined;
  volumes(): readonly PersistentVolume[];
}

/**
 * The volume claims of a pod: the reason why it cannot be scheduled on any node, or the volumes and open claims that each node must
 * satisfy.
 */
export type PodVolumeClaims =
  | { readonly type: "refused"; readonly why: string }
  | { readonly type: "settled"; readonly bound: readonly PersistentVolume[]; readonly open: readonly PersistentVolumeClaim[] };

/** Resolves the claims of a pod from the cache. */
export function resolvePodVolumeClaims(pod: Pod, storage: StorageLister): PodVolumeClaims {
  const bound: PersistentVolume[] = [];
  const open: PersistentVolumeClaim[] = [];
  for (const { name, persistentVolumeClaim, ephemeral } of pod.spec.volumes ?? []) {
    const claimName = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`);
    if (claimName === undefined) continue;
    const claim = storage.claim(claimName, pod.metadata.namespace);
    if (claim === undefined) return { type: "refused", why: `persistentvolumeclaim "${claimName}" not found` };
    if (claim.metadata.deletionTimestamp !== undefined)
      return { type: "refused", why: `persistentvolumeclaim "${claimName}" is being deleted` };
    if (claim.status.phase === "Lost")
      return {
        type: "refused",
        why: `persistentvolumeclaim "${claimName}" bound to non-existent persistentvolume "${claim.spec.volumeName}"`,
      };
    const volume = claim.spec.volumeName ? storage.volume(claim.spec.volumeName) : undefined;
    if (volume !== undefined && claim.status.phase === "Bound") bound.push(volume);
    else if (storage.class(getStorageClassName(claim))?.volumeBindingMode === "WaitForFirstConsumer") open.push(claim);
    else return { type: "refused", why: "pod has unbound immediate PersistentVolumeClaims" };
  }
  return { type: "settled", bound, open };
}

/** Checks whether a node can provide the volumes. */
export function checkVolumeBinding(
  claims: PodVolumeClaims & { readonly type: "settled" },
  node: Node,
  storage: StorageLister,
): FilterFailure | undefined {
  if (!claims.bound.every((volume) => isVolumeAvailableOnNode(volume, node)))
    return { reasons: ["node(s) didn't match PersistentVolume's node affinity"], isUnresolvable: true };
  for (const claim of claims.open) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE_ANNOTATION];
    const provisioner = storage.class(getStorageClassName(claim))?.provisioner;
    const makes = provisioner !== undefined && provisioner !== "kubernetes.io/no-provisioner";
    const found = findBestMatch(claim, storage.volumes(), node) !== undefined || makes;
    if ((selected !== undefined && selected !== node.metadata.name) || !found) {
      return { reasons: ["node(s) didn't find available persistent volumes to bind"], isUnresolvable: true };
    }
  }
  return undefined;
}
