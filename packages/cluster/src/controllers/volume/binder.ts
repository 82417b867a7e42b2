import { Conflict, NotFound } from "pintle/client";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { StorageClass } from "pintle/kinds/storage/v1";
import { canonical } from "pintle/merge";
import { type Outcome, queue } from "pintle/queue";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { podsByClaim } from "../pods-by.ts";
import { bestMatch, classOf, isClaimedBy, SELECTED_NODE, suits } from "./match.ts";

const COMPONENT = "persistentvolume-controller";
const BOUND_BY_US = "pv.kubernetes.io/bound-by-controller";
const COMPLETED = "pv.kubernetes.io/bind-completed";
const PROVISIONERS = ["volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner"];
/** A claim without a volume is looked at again now and then, as it is said again that it waits. */
const AGAIN = 15_000;

/** Brings claims and volumes together, and says of each where it stands. */
export function volumeBinder({ client, cache, clock, events }: Plant): Part {
  const claims = cache.watch(PersistentVolumeClaim);
  const volumes = cache.watch(PersistentVolume);
  const classes = cache.watch(StorageClass);
  const pods = cache.watch(Pod);
  const podsWith = podsByClaim(pods);
  // One after the other: a volume that is given away must be seen to be.
  const work = queue({ clock, work: ({ key }) => attend(key) });
  const claimKey = ({ metadata }: PersistentVolumeClaim) => `${metadata.namespace}/${metadata.name}`;
  claims.on(({ old, new: seen }) => {
    const claim = (seen ?? old)!;
    work.add(claimKey(claim));
    if (seen === undefined && claim.spec.volumeName) work.add(claim.spec.volumeName);
  });
  volumes.on(({ old, new: seen }) => {
    work.add((seen ?? old)!.metadata.name);
    if (claims.isSynced)
      for (const claim of claims.list()) if (claim.status.phase !== "Bound" || seen === undefined) work.add(claimKey(claim));
  });
  classes.on(() => {
    if (claims.isSynced) for (const claim of claims.list()) if (claim.status.phase !== "Bound") work.add(claimKey(claim));
  });

  const attend = async (key: string): Promise<Outcome | undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    try {
      if (!key.includes("/")) return await keepVolume(key);
      const claim = claims.get({ name, namespace });
      if (claim === undefined) return undefined;
      return claim.metadata.annotations?.[COMPLETED] === undefined ? await bindClaim(claim) : await keepClaim(claim);
    } catch (error) {
      // Somebody else wrote: it is looked at anew.
      if (error instanceof Conflict) return { type: "again", after: 10 };
      if (!(error instanceof NotFound)) throw error;
      return undefined;
    }
  };

  const say = (object: PersistentVolumeClaim, type: "Normal" | "Warning", reason: string, message: string) =>
    events.announce({ component: COMPONENT, kind: PersistentVolumeClaim, object, type, reason, message });

  const bindClaim = async (claim: PersistentVolumeClaim): Promise<Outcome | undefined> => {
    if (claim.metadata.deletionTimestamp !== undefined) return undefined;
    const asked = claim.spec.volumeName ? volumes.get({ name: claim.spec.volumeName }) : undefined;
    if (claim.spec.volumeName) {
      if (asked === undefined) return setPhase(claim, "Pending");
      if (asked.spec.claimRef !== undefined && !isClaimedBy(asked, claim)) {
        say(claim, "Warning", "FailedBinding", `volume "${asked.metadata.name}" already bound to a different claim.`);
        return setPhase(claim, "Pending");
      }
      if (!suits(asked, claim)) {
        say(claim, "Warning", "VolumeMismatch", `Cannot bind to requested volume "${asked.metadata.name}": requested PV is too small`);
        return setPhase(claim, "Pending");
      }
      return join(claim, asked);
    }
    const kind = classes.get({ name: classOf(claim) });
    const delayed = kind?.volumeBindingMode === "WaitForFirstConsumer" && claim.metadata.annotations?.[SELECTED_NODE] === undefined;
    const found = bestMatch(claim, volumes.list());
    const meant = found?.spec.claimRef !== undefined;
    if (found !== undefined && (!delayed || meant)) return join(claim, found);
    if (delayed) {
      const waiting = podsWith(claimKey(claim)).filter((pod) => !pod.spec.nodeName && pod.metadata.deletionTimestamp === undefined);
      if (waiting.length === 0) say(claim, "Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
      else
        say(
          claim,
          "Normal",
          "WaitForPodScheduled",
          `waiting for pod ${waiting.map(({ metadata }) => metadata.name).join(",")} to be scheduled`,
        );
    } else if (kind !== undefined) return provision(claim, kind);
    else if (classOf(claim) !== "")
      say(claim, "Warning", "ProvisioningFailed", `storageclass.storage.k8s.io "${classOf(claim)}" not found`);
    else say(claim, "Normal", "FailedBinding", "no persistent volumes available for this claim and no storage class is set");
    await setPhase(claim, "Pending");
    return { type: "again", after: AGAIN };
  };
  /** Asks whoever provisions for the class. */
  const provision = async (claim: PersistentVolumeClaim, { provisioner }: StorageClass): Promise<Outcome | undefined> => {
    if (provisioner === "kubernetes.io/no-provisioner") {
      say(claim, "Normal", "FailedBinding", "no persistent volumes available for this claim and no storage class is set");
      await setPhase(claim, "Pending");
      return { type: "again", after: AGAIN };
    }
    const annotations = { ...claim.metadata.annotations, ...Object.fromEntries(PROVISIONERS.map((name) => [name, provisioner])) };
    if (canonical(annotations) !== canonical(claim.metadata.annotations ?? {})) {
      await client.replace(PersistentVolumeClaim, { ...claim, metadata: { ...claim.metadata, annotations } }, MANAGED);
    }
    const advice = "If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
    say(
      claim,
      "Normal",
      "ExternalProvisioning",
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ${advice}`,
    );
    return { type: "again", after: AGAIN };
  };
  const setPhase = async (claim: PersistentVolumeClaim, phase: "Pending" | "Lost"): Promise<undefined> => {
    if (claim.status.phase !== phase) await client.status.replace(PersistentVolumeClaim, { ...claim, status: { phase } }, MANAGED);
  };

  /** Each side gets to know the other, the volume first; any step that was done stays done. */
  const join = async (claim: PersistentVolumeClaim, given: PersistentVolume): Promise<undefined> => {
    const volume = await claimVolume(claim, given);
    await markBound(volume);
    let bound = claim;
    const byUs = claim.spec.volumeName ? {} : { [BOUND_BY_US]: "yes" };
    const annotations = { ...claim.metadata.annotations, ...byUs, [COMPLETED]: "yes" };
    if (claim.spec.volumeName !== volume.metadata.name || claim.metadata.annotations?.[COMPLETED] === undefined) {
      const spec = { ...claim.spec, volumeName: volume.metadata.name };
      bound = await client.replace(PersistentVolumeClaim, { ...claim, metadata: { ...claim.metadata, annotations }, spec }, MANAGED);
    }
    const { accessModes, capacity } = volume.spec;
    await client.status.replace(
      PersistentVolumeClaim,
      { ...bound, status: { ...bound.status, phase: "Bound", accessModes, capacity } },
      MANAGED,
    );
  };
  const claimVolume = async (claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<PersistentVolume> => {
    const { name, namespace, uid, resourceVersion } = claim.metadata;
    if (volume.spec.claimRef?.uid === uid) return volume;
    const claimRef = { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace, name, uid, resourceVersion };
    const byUs = volume.spec.claimRef === undefined ? { annotations: { ...volume.metadata.annotations, [BOUND_BY_US]: "yes" } } : {};
    return client.replace(
      PersistentVolume,
      { ...volume, metadata: { ...volume.metadata, ...byUs }, spec: { ...volume.spec, claimRef } },
      MANAGED,
    );
  };
  const markBound = async (volume: PersistentVolume) => {
    await setVolumePhase(volume, "Bound");
  };
  const setVolumePhase = async (volume: PersistentVolume, phase: "Available" | "Bound" | "Released"): Promise<undefined> => {
    if (volume.status.phase !== phase)
      await client.status.replace(PersistentVolume, { ...volume, status: { ...volume.status, phase } }, MANAGED);
  };

  const keepClaim = async (claim: PersistentVolumeClaim): Promise<undefined> => {
    const volume = volumes.get({ name: claim.spec.volumeName ?? "" });
    if (volume === undefined || (volume.spec.claimRef !== undefined && !isClaimedBy(volume, claim))) {
      if (claim.status.phase !== "Lost") {
        const why =
          volume === undefined
            ? "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
            : "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!";
        say(claim, "Warning", "ClaimLost", why);
      }
      return setPhase(claim, "Lost");
    }
    if (claim.status.phase !== "Bound" || volume.status.phase !== "Bound") await join(claim, volume);
  };
  const keepVolume = async (name: string): Promise<undefined> => {
    const volume = volumes.get({ name });
    if (volume === undefined) return;
    const { claimRef } = volume.spec;
    if (claimRef === undefined || !claimRef.uid) return setVolumePhase(volume, "Available");
    const claim = claims.get({ name: claimRef.name ?? "", namespace: claimRef.namespace });
    if (claim === undefined || claim.metadata.uid !== claimRef.uid) return setVolumePhase(volume, "Released");
    if (claim.spec.volumeName === name || claim.spec.volumeName === undefined || claim.spec.volumeName === "") work.add(claimKey(claim));
  };
  return queued("persistentvolume-binder-controller", work, [claims, volumes, classes, pods]);
}
