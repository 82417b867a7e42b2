import { Conflict, NotFound } from "pintle/client";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { getObjectKey, splitObjectKey } from "../shared/object-key.ts";
import { indexPodsByClaim, listPodClaims } from "../shared/pod-indexes.ts";
import { isPodFinished } from "../shared/pod-readiness.ts";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

/** Starts the controller that protects claims in use by a finalizer, which it removes when no pod uses a deleted claim. */
export function startClaimProtectionController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const claims = cache.watch(PersistentVolumeClaim);
  const pods = cache.watch(Pod);
  const podsWith = indexPodsByClaim(pods);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  claims.addEventHandler(({ new: current }) => current && work.add(getObjectKey(current)));
  pods.addEventHandler(({ old, new: current }) => {
    // A deleted or finished pod uses no claims.
    if (old !== undefined && (current === undefined || isPodFinished(current))) for (const key of listPodClaims(old)) work.add(key);
  });

  const sync = async (key: string): Promise<undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const claim = claims.get({ name, namespace });
    if (claim === undefined) return;
    const isTerminating = claim.metadata.deletionTimestamp !== undefined;
    const hasFinalizer = claim.metadata.finalizers?.includes(CLAIM_FINALIZER) === true;
    if (isTerminating && hasFinalizer && !podsWith(key).some((pod) => !isPodFinished(pod)))
      await setFinalizers(removeFinalizer(claim.metadata.finalizers, CLAIM_FINALIZER));
    else if (!isTerminating && !hasFinalizer) await setFinalizers([...(claim.metadata.finalizers ?? []), CLAIM_FINALIZER]);

    async function setFinalizers(finalizers: readonly string[]) {
      await ignoreStaleObject(
        client.replace(PersistentVolumeClaim, { ...claim!, metadata: { ...claim!.metadata, finalizers } }, FIELD_MANAGER),
      );
    }
  };
  return createQueueComponent("persistentvolumeclaim-protection-controller", work, [claims, pods]);
}

/** Starts the controller that protects bound volumes by a finalizer, which it removes when a deleted volume is not bound. */
export function startVolumeProtectionController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const volumes = cache.watch(PersistentVolume);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  volumes.addEventHandler(({ new: current }) => current && work.add(current.metadata.name));

  const sync = async (name: string): Promise<undefined> => {
    const volume = volumes.get({ name });
    if (volume === undefined) return;
    const isTerminating = volume.metadata.deletionTimestamp !== undefined;
    const hasFinalizer = volume.metadata.finalizers?.includes(VOLUME_FINALIZER) === true;
    const finalizers =
      isTerminating && hasFinalizer && volume.status.phase !== "Bound"
        ? removeFinalizer(volume.metadata.finalizers, VOLUME_FINALIZER)
        : !isTerminating && !hasFinalizer
          ? [...(volume.metadata.finalizers ?? []), VOLUME_FINALIZER]
          : undefined;
    if (finalizers !== undefined)
      await ignoreStaleObject(client.replace(PersistentVolume, { ...volume, metadata: { ...volume.metadata, finalizers } }, FIELD_MANAGER));
  };
  return createQueueComponent("persistentvolume-protection-controller", work, [volumes]);
}

const removeFinalizer = (finalizers: readonly string[] = [], name: string) => finalizers.filter((finalizer) => finalizer !== name);

async function ignoreStaleObject(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
  }
}
