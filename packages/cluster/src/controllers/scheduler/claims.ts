import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import type { StorageClass } from "pintle/kinds/storage/v1";
import { bestMatch, classOf, isOn, SELECTED_NODE } from "../volume/match.ts";
import type { Misfit } from "./fit.ts";

/** Where volumes are looked up. */
export interface Storage {
  claim(name: string, namespace: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  class(name: string): StorageClass | undefined;
  volumes(): readonly PersistentVolume[];
}

/** How the claims of a pod stand: what is wrong on every node, or what each node must fulfil. */
export type Claims =
  | { readonly type: "refused"; readonly why: string }
  | { readonly type: "settled"; readonly bound: readonly PersistentVolume[]; readonly open: readonly PersistentVolumeClaim[] };

/** Pure, but for looking things up. */
export function claimsOf(pod: Pod, storage: Storage): Claims {
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
    else if (storage.class(classOf(claim))?.volumeBindingMode === "WaitForFirstConsumer") open.push(claim);
    else return { type: "refused", why: "pod has unbound immediate PersistentVolumeClaims" };
  }
  return { type: "settled", bound, open };
}

/** Whether the volumes can be had on a node. */
export function claimMisfit(claims: Claims & { readonly type: "settled" }, node: Node, storage: Storage): Misfit | undefined {
  if (!claims.bound.every((volume) => isOn(volume, node)))
    return { reasons: ["node(s) didn't match PersistentVolume's node affinity"], hopeless: true };
  for (const claim of claims.open) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    const provisioner = storage.class(classOf(claim))?.provisioner;
    const makes = provisioner !== undefined && provisioner !== "kubernetes.io/no-provisioner";
    const found = bestMatch(claim, storage.volumes(), node) !== undefined || makes;
    if ((selected !== undefined && selected !== node.metadata.name) || !found) {
      return { reasons: ["node(s) didn't find available persistent volumes to bind"], hopeless: true };
    }
  }
  return undefined;
}
