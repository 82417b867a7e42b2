import { AlreadyExists, Conflict, NotFound } from "pintle/client";
import { Node, PersistentVolume, PersistentVolumeClaim } from "pintle/kinds/core/v1";
import { StorageClass } from "pintle/kinds/storage/v1";
import { queue } from "pintle/queue";
import { type Part, type Plant, queued } from "../part.ts";
import { classOf, SELECTED_NODE } from "./match.ts";

const NAME = "pintle.dev/local";
const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
const MANAGER = { fieldManager: "pintle-provisioner" };
const FOLDER = "/var/lib/pintle/volumes";
const HOSTNAME = "kubernetes.io/hostname";

/** The class claims get that name none: a folder on the node of the first pod that uses the claim. */
const STANDARD = {
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: NAME,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
  allowVolumeExpansion: false,
} as const;

/** Makes and removes the volumes of our own storage classes. Works on any cluster. */
export function volumeProvisioner({ client, cache, clock, events }: Omit<Plant, "authority">): Part {
  const claims = cache.watch(PersistentVolumeClaim);
  const volumes = cache.watch(PersistentVolume);
  const classes = cache.watch(StorageClass);
  const nodes = cache.watch(Node);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  claims.on(({ new: seen }) => {
    if (seen !== undefined) work.add(`${seen.metadata.namespace}/${seen.metadata.name}`);
  });
  volumes.on(({ new: seen }) => {
    if (seen !== undefined) work.add(seen.metadata.name);
  });
  classes.on(() => {
    if (claims.isSynced) for (const { metadata } of claims.list()) work.add(`${metadata.namespace}/${metadata.name}`);
  });

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    try {
      if (!key.includes("/")) return await reclaim(key);
      const claim = claims.get({ name, namespace });
      if (claim !== undefined) await provide(claim);
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  const provide = async (claim: PersistentVolumeClaim) => {
    const kind = classes.get({ name: classOf(claim) });
    const { uid, annotations = {}, deletionTimestamp } = claim.metadata;
    // The binder says whose turn it is.
    const asked = annotations["volume.kubernetes.io/storage-provisioner"] === NAME;
    if (kind?.provisioner !== NAME || !asked || claim.spec.volumeName || deletionTimestamp !== undefined) return;
    const name = `pvc-${uid}`;
    const node = annotations[SELECTED_NODE];
    if (volumes.get({ name }) !== undefined || (kind.volumeBindingMode === "WaitForFirstConsumer" && node === undefined)) return;
    const key = `${claim.metadata.namespace}/${claim.metadata.name}`;
    say(claim, "Provisioning", `External provisioner is provisioning volume for claim "${key}"`);
    try {
      await client.create(
        PersistentVolume,
        volumeFor(claim, kind, name, node === undefined ? undefined : nodes.get({ name: node })) as never,
        MANAGER,
      );
    } catch (error) {
      if (!(error instanceof AlreadyExists)) throw error;
    }
    say(claim, "ProvisioningSucceeded", `Successfully provisioned volume ${name}`);
  };
  const reclaim = async (name: string): Promise<undefined> => {
    const volume = volumes.get({ name });
    if (volume?.metadata.annotations?.[PROVISIONED_BY] !== NAME || volume.metadata.deletionTimestamp !== undefined) return;
    const released = volume.status.phase === "Released" && volume.spec.persistentVolumeReclaimPolicy === "Delete";
    if (released) await client.delete(PersistentVolume, { name }, { uid: volume.metadata.uid });
  };
  const say = (object: PersistentVolumeClaim, reason: string, message: string) =>
    events.announce({
      component: NAME,
      manager: MANAGER.fieldManager,
      kind: PersistentVolumeClaim,
      object,
      type: "Normal",
      reason,
      message,
    });

  const own = queued("storage-provisioner", work, [claims, volumes, classes, nodes]);
  const ready = (async () => {
    try {
      await client.create(StorageClass, STANDARD, MANAGER);
    } catch (error) {
      if (!(error instanceof AlreadyExists)) throw error;
    }
    await own.ready;
  })();
  return { ...own, ready };
}

function volumeFor(claim: PersistentVolumeClaim, kind: StorageClass, name: string, node: Node | undefined) {
  const { namespace, uid, resourceVersion } = claim.metadata;
  const hostname = node?.metadata.labels?.[HOSTNAME];
  return {
    metadata: { name, annotations: { [PROVISIONED_BY]: NAME } },
    spec: {
      accessModes: claim.spec.accessModes,
      capacity: { storage: claim.spec.resources?.requests?.["storage"] ?? "1Gi" },
      claimRef: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace, name: claim.metadata.name, uid, resourceVersion },
      hostPath: { path: `${FOLDER}/${name}_${namespace}_${claim.metadata.name}`, type: "DirectoryOrCreate" },
      persistentVolumeReclaimPolicy: kind.reclaimPolicy ?? ("Delete" as const),
      storageClassName: kind.metadata.name,
      volumeMode: claim.spec.volumeMode ?? ("Filesystem" as const),
      ...(hostname === undefined
        ? {}
        : {
            nodeAffinity: {
              required: { nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: "In" as const, values: [hostname] }] }] },
            },
          }),
    },
  };
}
