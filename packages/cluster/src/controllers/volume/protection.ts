import { Conflict, NotFound } from "pintle/client";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { queue } from "pintle/queue";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { claimsOf, podsByClaim } from "../pods-by.ts";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

/** Keeps claims that pods use, and lets go of deleted ones that none uses any more. */
export function claimProtection({ client, cache, clock }: Plant): Part {
  const claims = cache.watch(PersistentVolumeClaim);
  const pods = cache.watch(Pod);
  const podsWith = podsByClaim(pods);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  claims.on(({ new: seen }) => seen && work.add(`${seen.metadata.namespace}/${seen.metadata.name}`));
  pods.on(({ old, new: seen }) => {
    // A pod that is gone or done uses nothing.
    if (old !== undefined && (seen === undefined || isDone(seen))) for (const key of claimsOf(old)) work.add(key);
  });

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const claim = claims.get({ name, namespace });
    if (claim === undefined) return;
    const going = claim.metadata.deletionTimestamp !== undefined;
    const has = claim.metadata.finalizers?.includes(CLAIM_FINALIZER) === true;
    if (going && has && !podsWith(key).some((pod) => !isDone(pod)))
      await setFinalizers(without(claim.metadata.finalizers, CLAIM_FINALIZER));
    else if (!going && !has) await setFinalizers([...(claim.metadata.finalizers ?? []), CLAIM_FINALIZER]);

    async function setFinalizers(finalizers: readonly string[]) {
      await tolerated(client.replace(PersistentVolumeClaim, { ...claim!, metadata: { ...claim!.metadata, finalizers } }, MANAGED));
    }
  };
  return queued("persistentvolumeclaim-protection-controller", work, [claims, pods]);
}

/** Keeps volumes that are bound, and lets go of deleted ones that are not. */
export function volumeProtection({ client, cache, clock }: Plant): Part {
  const volumes = cache.watch(PersistentVolume);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  volumes.on(({ new: seen }) => seen && work.add(seen.metadata.name));

  const attend = async (name: string): Promise<undefined> => {
    const volume = volumes.get({ name });
    if (volume === undefined) return;
    const going = volume.metadata.deletionTimestamp !== undefined;
    const has = volume.metadata.finalizers?.includes(VOLUME_FINALIZER) === true;
    const finalizers =
      going && has && volume.status.phase !== "Bound"
        ? without(volume.metadata.finalizers, VOLUME_FINALIZER)
        : !going && !has
          ? [...(volume.metadata.finalizers ?? []), VOLUME_FINALIZER]
          : undefined;
    if (finalizers !== undefined)
      await tolerated(client.replace(PersistentVolume, { ...volume, metadata: { ...volume.metadata, finalizers } }, MANAGED));
  };
  return queued("persistentvolume-protection-controller", work, [volumes]);
}

const isDone = ({ status }: Pod) => status.phase === "Succeeded" || status.phase === "Failed";
const without = (finalizers: readonly string[] = [], name: string) => finalizers.filter((finalizer) => finalizer !== name);

async function tolerated(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
  }
}
