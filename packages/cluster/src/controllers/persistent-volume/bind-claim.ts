import type { Client } from "pintle/client";
import { PersistentVolume, PersistentVolumeClaim } from "pintle/kinds/core/v1";
import { FIELD_MANAGER } from "../field-manager.ts";

const BOUND_BY_CONTROLLER_ANNOTATION = "pv.kubernetes.io/bound-by-controller";
export const BIND_COMPLETED_ANNOTATION = "pv.kubernetes.io/bind-completed";

/** Binds a claim and a volume to each other, the volume first. Each step is idempotent. */
export async function bindClaim(client: Client, claim: PersistentVolumeClaim, selected: PersistentVolume): Promise<undefined> {
  const volume = await setClaimRef(client, claim, selected);
  await setVolumePhase(client, volume, "Bound");
  let bound = claim;
  const boundByController = claim.spec.volumeName ? {} : { [BOUND_BY_CONTROLLER_ANNOTATION]: "yes" };
  const annotations = { ...claim.metadata.annotations, ...boundByController, [BIND_COMPLETED_ANNOTATION]: "yes" };
  if (claim.spec.volumeName !== volume.metadata.name || claim.metadata.annotations?.[BIND_COMPLETED_ANNOTATION] === undefined) {
    const spec = { ...claim.spec, volumeName: volume.metadata.name };
    bound = await client.replace(PersistentVolumeClaim, { ...claim, metadata: { ...claim.metadata, annotations }, spec }, FIELD_MANAGER);
  }
  const { accessModes, capacity } = volume.spec;
  const status = { ...bound.status, phase: "Bound" as const, accessModes, capacity };
  await client.status.replace(PersistentVolumeClaim, { ...bound, status }, FIELD_MANAGER);
}

async function setClaimRef(client: Client, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<PersistentVolume> {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  if (volume.spec.claimRef?.uid === uid) return volume;
  const claimRef = { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace, name, uid, resourceVersion };
  const boundByController =
    volume.spec.claimRef === undefined ? { annotations: { ...volume.metadata.annotations, [BOUND_BY_CONTROLLER_ANNOTATION]: "yes" } } : {};
  const metadata = { ...volume.metadata, ...boundByController };
  return client.replace(PersistentVolume, { ...volume, metadata, spec: { ...volume.spec, claimRef } }, FIELD_MANAGER);
}

/** Writes the phase of a claim if it differs. */
export async function setClaimPhase(client: Client, claim: PersistentVolumeClaim, phase: "Pending" | "Lost"): Promise<undefined> {
  if (claim.status.phase !== phase) await client.status.replace(PersistentVolumeClaim, { ...claim, status: { phase } }, FIELD_MANAGER);
}

/** Writes the phase of a volume if it differs. */
export async function setVolumePhase(
  client: Client,
  volume: PersistentVolume,
  phase: "Available" | "Bound" | "Released",
): Promise<undefined> {
  if (volume.status.phase === phase) return;
  await client.status.replace(PersistentVolume, { ...volume, status: { ...volume.status, phase } }, FIELD_MANAGER);
}
