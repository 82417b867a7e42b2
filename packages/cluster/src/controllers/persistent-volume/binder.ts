import { Conflict, NotFound } from "pintle/client";
import { canonicalJson } from "pintle/internal/merge";
import type { WorkOutcome } from "pintle/internal/queue";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { StorageClass } from "pintle/kinds/storage/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { getObjectKey, splitObjectKey } from "../shared/object-key.ts";
import { indexPodsByClaim } from "../shared/pod-indexes.ts";
import { BIND_COMPLETED_ANNOTATION, bindClaim, setClaimPhase, setVolumePhase } from "./bind-claim.ts";
import { findBestMatch, getStorageClassName, isVolumeClaimedBy, isVolumeCompatible, SELECTED_NODE_ANNOTATION } from "./volume-match.ts";

const COMPONENT = "persistentvolume-controller";
const PROVISIONER_ANNOTATIONS = ["volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner"];
/** How often an unbound claim is synced, which repeats its event. Milliseconds. */
const RESYNC_PERIOD = 15_000;

/** Starts the controller that binds claims to volumes and maintains their phases. */
export function startPersistentVolumeBinderController({
  client,
  cache,
  clock,
  createWorkQueue,
  events,
}: ControllerContext): ControlPlaneComponent {
  const claims = cache.watch(PersistentVolumeClaim);
  const volumes = cache.watch(PersistentVolume);
  const classes = cache.watch(StorageClass);
  const pods = cache.watch(Pod);
  const podsWith = indexPodsByClaim(pods);
  // One worker: a volume that was just bound must be observed as such.
  const work = createWorkQueue({ clock, work: ({ key }) => sync(key) });
  claims.addEventHandler(({ old, new: current }) => {
    const claim = (current ?? old)!;
    work.add(getObjectKey(claim));
    if (current === undefined && claim.spec.volumeName) work.add(claim.spec.volumeName);
  });
  volumes.addEventHandler(({ old, new: current }) => {
    work.add((current ?? old)!.metadata.name);
    if (claims.isSynced)
      for (const claim of claims.list()) if (claim.status.phase !== "Bound" || current === undefined) work.add(getObjectKey(claim));
  });
  classes.addEventHandler(() => {
    if (claims.isSynced) for (const claim of claims.list()) if (claim.status.phase !== "Bound") work.add(getObjectKey(claim));
  });

  const sync = async (key: string): Promise<WorkOutcome | undefined> => {
    const { namespace, name } = splitObjectKey(key);
    try {
      if (!key.includes("/")) return await syncVolume(key);
      const claim = claims.get({ name, namespace });
      if (claim === undefined) return undefined;
      return claim.metadata.annotations?.[BIND_COMPLETED_ANNOTATION] === undefined
        ? await syncUnboundClaim(claim)
        : await syncBoundClaim(claim);
    } catch (error) {
      // Another writer updated the object: sync it again.
      if (error instanceof Conflict) return { type: "requeue", after: 10 };
      if (!(error instanceof NotFound)) throw error;
      return undefined;
    }
  };

  const recordEvent = (object: PersistentVolumeClaim, type: "Normal" | "Warning", reason: string, message: string) =>
    events.record({ component: COMPONENT, kind: PersistentVolumeClaim, object, type, reason, message });

  const syncUnboundClaim = async (claim: PersistentVolumeClaim): Promise<WorkOutcome | undefined> => {
    if (claim.metadata.deletionTimestamp !== undefined) return undefined;
    const requested = claim.spec.volumeName ? volumes.get({ name: claim.spec.volumeName }) : undefined;
    if (claim.spec.volumeName) {
      if (requested === undefined) return setClaimPhase(client, claim, "Pending");
      if (requested.spec.claimRef !== undefined && !isVolumeClaimedBy(requested, claim)) {
        recordEvent(claim, "Warning", "FailedBinding", `volume "${requested.metadata.name}" already bound to a different claim.`);
        return setClaimPhase(client, claim, "Pending");
      }
      if (!isVolumeCompatible(requested, claim)) {
        recordEvent(
          claim,
          "Warning",
          "VolumeMismatch",
          `Cannot bind to requested volume "${requested.metadata.name}": requested PV is too small`,
        );
        return setClaimPhase(client, claim, "Pending");
      }
      return bindClaim(client, claim, requested);
    }
    const storageClass = classes.get({ name: getStorageClassName(claim) });
    const waitsForConsumer =
      storageClass?.volumeBindingMode === "WaitForFirstConsumer" && claim.metadata.annotations?.[SELECTED_NODE_ANNOTATION] === undefined;
    const found = findBestMatch(claim, volumes.list());
    const isPreBound = found?.spec.claimRef !== undefined;
    if (found !== undefined && (!waitsForConsumer || isPreBound)) return bindClaim(client, claim, found);
    if (waitsForConsumer) {
      const waiting = podsWith(getObjectKey(claim)).filter((pod) => !pod.spec.nodeName && pod.metadata.deletionTimestamp === undefined);
      if (waiting.length === 0)
        recordEvent(claim, "Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
      else
        recordEvent(
          claim,
          "Normal",
          "WaitForPodScheduled",
          `waiting for pod ${waiting.map(({ metadata }) => metadata.name).join(",")} to be scheduled`,
        );
    } else if (storageClass !== undefined) return requestProvisioning(claim, storageClass);
    else if (getStorageClassName(claim) !== "")
      recordEvent(claim, "Warning", "ProvisioningFailed", `storageclass.storage.k8s.io "${getStorageClassName(claim)}" not found`);
    else recordEvent(claim, "Normal", "FailedBinding", "no persistent volumes available for this claim and no storage class is set");
    await setClaimPhase(client, claim, "Pending");
    return { type: "requeue", after: RESYNC_PERIOD };
  };
  /** Annotates the claim for the provisioner of its class. */
  const requestProvisioning = async (claim: PersistentVolumeClaim, { provisioner }: StorageClass): Promise<WorkOutcome | undefined> => {
    if (provisioner === "kubernetes.io/no-provisioner") {
      recordEvent(claim, "Normal", "FailedBinding", "no persistent volumes available for this claim and no storage class is set");
      await setClaimPhase(client, claim, "Pending");
      return { type: "requeue", after: RESYNC_PERIOD };
    }
    const annotations = {
      ...claim.metadata.annotations,
      ...Object.fromEntries(PROVISIONER_ANNOTATIONS.map((name) => [name, provisioner])),
    };
    if (canonicalJson(annotations) !== canonicalJson(claim.metadata.annotations ?? {})) {
      await client.replace(PersistentVolumeClaim, { ...claim, metadata: { ...claim.metadata, annotations } }, FIELD_MANAGER);
    }
    const advice = "If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
    recordEvent(
      claim,
      "Normal",
      "ExternalProvisioning",
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ${advice}`,
    );
    return { type: "requeue", after: RESYNC_PERIOD };
  };

  const syncBoundClaim = async (claim: PersistentVolumeClaim): Promise<undefined> => {
    const volume = volumes.get({ name: claim.spec.volumeName ?? "" });
    if (volume === undefined || (volume.spec.claimRef !== undefined && !isVolumeClaimedBy(volume, claim))) {
      if (claim.status.phase !== "Lost") {
        const why =
          volume === undefined
            ? "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
            : "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!";
        recordEvent(claim, "Warning", "ClaimLost", why);
      }
      return setClaimPhase(client, claim, "Lost");
    }
    if (claim.status.phase !== "Bound" || volume.status.phase !== "Bound") await bindClaim(client, claim, volume);
  };
  const syncVolume = async (name: string): Promise<undefined> => {
    const volume = volumes.get({ name });
    if (volume === undefined) return;
    const { claimRef } = volume.spec;
    if (claimRef === undefined || !claimRef.uid) return setVolumePhase(client, volume, "Available");
    const claim = claims.get({ name: claimRef.name ?? "", namespace: claimRef.namespace });
    if (claim === undefined || claim.metadata.uid !== claimRef.uid) return setVolumePhase(client, volume, "Released");
    if (claim.spec.volumeName === name || claim.spec.volumeName === undefined || claim.spec.volumeName === "")
      work.add(getObjectKey(claim));
  };
  return createQueueComponent("persistentvolume-binder-controller", work, [claims, volumes, classes, pods]);
}
