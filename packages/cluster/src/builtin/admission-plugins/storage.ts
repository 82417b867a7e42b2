import type { PersistentVolumeClaim } from "pintle/kinds/core/v1";
import type { StorageClass } from "pintle/kinds/storage/v1";
import type { AdmissionPlugin } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import type { Unvalidated } from "../draft.ts";
import { compareQuantities } from "../quantities.ts";
import { createForbiddenError, createResourcePlugin, findNewestDefault, getStored, listStored } from "./resource-plugin.ts";

const BETA_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
const IS_DEFAULT_ANNOTATIONS = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/** Sets the default storage class on claims without a class. */
export function createDefaultStorageClassPlugin(store: ObjectStore): AdmissionPlugin {
  return createResourcePlugin<PersistentVolumeClaim>("DefaultStorageClass", {
    group: "",
    plural: "persistentvolumeclaims",
    operations: ["CREATE"],
    async mutate(draft) {
      if (draft.spec?.storageClassName != null || draft.metadata?.annotations?.[BETA_CLASS_ANNOTATION] !== undefined) return;
      const classes = await listStored<StorageClass>(store, "storage.k8s.io", "storageclasses");
      const name = IS_DEFAULT_ANNOTATIONS.map((annotation) => findNewestDefault(classes, annotation)).find((found) => found !== undefined);
      if (name === undefined) return;
      draft.spec ??= {};
      draft.spec.storageClassName = name;
    },
  });
}

/** The protection finalizer of each resource. */
const PROTECTION_FINALIZERS = [
  ["", "persistentvolumes", "kubernetes.io/pv-protection"],
  ["", "persistentvolumeclaims", "kubernetes.io/pvc-protection"],
  ["storage.k8s.io", "volumeattributesclasses", "kubernetes.io/vac-protection"],
] as const;

/**
 * Adds the protection finalizers to volumes, claims and volume attributes classes; controllers remove them when the
 * objects are no longer in use.
 */
export const storageObjectInUseProtectionPlugins: readonly AdmissionPlugin[] = PROTECTION_FINALIZERS.map(([group, plural, finalizer]) =>
  createResourcePlugin<PersistentVolumeClaim>("StorageObjectInUseProtection", {
    group,
    plural,
    operations: ["CREATE"],
    mutate(draft) {
      draft.metadata ??= {};
      const { finalizers } = draft.metadata;
      if (!finalizers?.includes(finalizer)) draft.metadata.finalizers = [...(finalizers ?? []), finalizer];
    },
  }),
);

const NOT_RESIZABLE = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";

/** Rejects the expansion of claims that are not bound or whose storage class does not support it. */
export function createPersistentVolumeClaimResizePlugin(store: ObjectStore): AdmissionPlugin {
  return createResourcePlugin<PersistentVolumeClaim>("PersistentVolumeClaimResize", {
    group: "",
    plural: "persistentvolumeclaims",
    operations: ["UPDATE"],
    async validate(claim, request) {
      const live = request.live as Unvalidated<PersistentVolumeClaim>;
      const size = ({ spec }: Unvalidated<PersistentVolumeClaim>) => spec?.resources?.requests?.["storage"] ?? "0";
      if (compareQuantities(size(claim), size(live)) <= 0) return;
      if (live.status?.phase !== "Bound") throw createForbiddenError(request, "Only bound persistent volume claims can be expanded");
      const name = claim.spec?.storageClassName ?? "";
      const found =
        name !== "" && name === live.spec?.storageClassName
          ? await getStored<StorageClass>(store, "storage.k8s.io", "storageclasses", name)
          : undefined;
      if (found?.allowVolumeExpansion !== true) throw createForbiddenError(request, NOT_RESIZABLE);
    },
  });
}
