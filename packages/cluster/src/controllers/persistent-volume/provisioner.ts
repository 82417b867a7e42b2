import { AlreadyExists, Conflict, NotFound } from "pintle/client";
import { Node, PersistentVolume, PersistentVolumeClaim } from "pintle/kinds/core/v1";
import { StorageClass } from "pintle/kinds/storage/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { getObjectKey, splitObjectKey } from "../shared/object-key.ts";
import { getStorageClassName, SELECTED_NODE_ANNOTATION } from "./volume-match.ts";

const PROVISIONER_NAME = "pintle.dev/local";
const PROVISIONED_BY_ANNOTATION = "pv.kubernetes.io/provisioned-by";
const FIELD_MANAGER = { fieldManager: "pintle-provisioner" };
const VOLUMES_FOLDER = "/var/lib/pintle/volumes";
const HOSTNAME_LABEL = "kubernetes.io/hostname";

/** The default storage class: a folder on the node of the first pod that uses the claim. */
const STANDARD_CLASS = {
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: PROVISIONER_NAME,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
  allowVolumeExpansion: false,
} as const;

/** Starts the provisioner, which creates and deletes the volumes of the embedded storage class. Works on any cluster. */
export function startVolumeProvisioner({
  client,
  cache,
  clock,
  createWorkQueue,
  events,
}: Omit<ControllerContext, "authority" | "fetchOpenApi">): ControlPlaneComponent {
  const claims = cache.watch(PersistentVolumeClaim);
  const volumes = cache.watch(PersistentVolume);
  const classes = cache.watch(StorageClass);
  const nodes = cache.watch(Node);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  claims.addEventHandler(({ new: current }) => {
    if (current !== undefined) work.add(getObjectKey(current));
  });
  volumes.addEventHandler(({ new: current }) => {
    if (current !== undefined) work.add(current.metadata.name);
  });
  classes.addEventHandler(() => {
    if (claims.isSynced) for (const claim of claims.list()) work.add(getObjectKey(claim));
  });

  const sync = async (key: string): Promise<undefined> => {
    const { namespace, name } = splitObjectKey(key);
    try {
      if (!key.includes("/")) return await reclaimVolume(key);
      const claim = claims.get({ name, namespace });
      if (claim !== undefined) await provisionVolume(claim);
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  const provisionVolume = async (claim: PersistentVolumeClaim) => {
    const storageClass = classes.get({ name: getStorageClassName(claim) });
    const { uid, annotations = {}, deletionTimestamp } = claim.metadata;
    // The binder requests a volume by this annotation.
    const isRequested = annotations["volume.kubernetes.io/storage-provisioner"] === PROVISIONER_NAME;
    if (storageClass?.provisioner !== PROVISIONER_NAME || !isRequested || claim.spec.volumeName || deletionTimestamp !== undefined) return;
    const name = `pvc-${uid}`;
    const node = annotations[SELECTED_NODE_ANNOTATION];
    if (volumes.get({ name }) !== undefined || (storageClass.volumeBindingMode === "WaitForFirstConsumer" && node === undefined)) return;
    const key = getObjectKey(claim);
    recordEvent(claim, "Provisioning", `External provisioner is provisioning volume for claim "${key}"`);
    try {
      await client.create(
        PersistentVolume,
        buildVolume(claim, storageClass, name, node === undefined ? undefined : nodes.get({ name: node })) as never,
        FIELD_MANAGER,
      );
    } catch (error) {
      if (!(error instanceof AlreadyExists)) throw error;
    }
    recordEvent(claim, "ProvisioningSucceeded", `Successfully provisioned volume ${name}`);
  };
  const reclaimVolume = async (name: string): Promise<undefined> => {
    const volume = volumes.get({ name });
    if (volume?.metadata.annotations?.[PROVISIONED_BY_ANNOTATION] !== PROVISIONER_NAME || volume.metadata.deletionTimestamp !== undefined)
      return;
    const released = volume.status.phase === "Released" && volume.spec.persistentVolumeReclaimPolicy === "Delete";
    if (released) await client.delete(PersistentVolume, { name }, { uid: volume.metadata.uid });
  };
  const recordEvent = (object: PersistentVolumeClaim, reason: string, message: string) =>
    events.record({
      component: PROVISIONER_NAME,
      fieldManager: FIELD_MANAGER.fieldManager,
      kind: PersistentVolumeClaim,
      object,
      type: "Normal",
      reason,
      message,
    });

  const component = createQueueComponent("storage-provisioner", work, [claims, volumes, classes, nodes]);
  const ready = (async () => {
    try {
      await client.create(StorageClass, STANDARD_CLASS, FIELD_MANAGER);
    } catch (error) {
      if (!(error instanceof AlreadyExists)) throw error;
    }
    await component.ready;
  })();
  return { ...component, ready };
}

function buildVolume(claim: PersistentVolumeClaim, storageClass: StorageClass, name: string, node: Node | undefined) {
  const { namespace, uid, resourceVersion } = claim.metadata;
  const hostname = node?.metadata.labels?.[HOSTNAME_LABEL];
  return {
    metadata: { name, annotations: { [PROVISIONED_BY_ANNOTATION]: PROVISIONER_NAME } },
    spec: {
      accessModes: claim.spec.accessModes,
      capacity: { storage: claim.spec.resources?.requests?.["storage"] ?? "1Gi" },
      claimRef: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace, name: claim.metadata.name, uid, resourceVersion },
      hostPath: { path: `${VOLUMES_FOLDER}/${name}_${namespace}_${claim.metadata.name}`, type: "DirectoryOrCreate" },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? ("Delete" as const),
      storageClassName: storageClass.metadata.name,
      volumeMode: claim.spec.volumeMode ?? ("Filesystem" as const),
      ...(hostname === undefined
        ? {}
        : {
            nodeAffinity: {
              required: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME_LABEL, operator: "In" as const, values: [hostname] }] }],
              },
            },
          }),
    },
  };
}
