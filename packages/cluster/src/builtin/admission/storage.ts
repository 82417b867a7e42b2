import type { PersistentVolumeClaim } from "pintle/kinds/core/v1";
import type { StorageClass } from "pintle/kinds/storage/v1";
import type { AdmissionPlugin } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import type { Loose } from "../draft.ts";
import { compareQuantities } from "../text/quantities.ts";
import { newestDefault, pluginFor, refusal, stored, storedOne } from "./plugin.ts";

const BETA_CLASS = "volume.beta.kubernetes.io/storage-class";
const IS_DEFAULT = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/** A claim that names no class gets the default one, if there is one. */
export function defaultStorageClass(store: Store): AdmissionPlugin {
  return pluginFor<PersistentVolumeClaim>("DefaultStorageClass", {
    group: "",
    plural: "persistentvolumeclaims",
    on: ["CREATE"],
    async change(draft) {
      if (draft.spec?.storageClassName != null || draft.metadata?.annotations?.[BETA_CLASS] !== undefined) return;
      const classes = await stored<StorageClass>(store, "storage.k8s.io", "storageclasses");
      const name = IS_DEFAULT.map((annotation) => newestDefault(classes, annotation)).find((found) => found !== undefined);
      if (name === undefined) return;
      draft.spec ??= {};
      draft.spec.storageClassName = name;
    },
  });
}

/** By resource, the finalizer that keeps what is in use. */
const PROTECTED = [
  ["", "persistentvolumes", "kubernetes.io/pv-protection"],
  ["", "persistentvolumeclaims", "kubernetes.io/pvc-protection"],
  ["storage.k8s.io", "volumeattributesclasses", "kubernetes.io/vac-protection"],
] as const;

/** Volumes and claims stay as long as somebody uses them; a controller lets them go. */
export const storageObjectInUseProtection: readonly AdmissionPlugin[] = PROTECTED.map(([group, plural, finalizer]) =>
  pluginFor<PersistentVolumeClaim>("StorageObjectInUseProtection", {
    group,
    plural,
    on: ["CREATE"],
    change(draft) {
      draft.metadata ??= {};
      const { finalizers } = draft.metadata;
      if (!finalizers?.includes(finalizer)) draft.metadata.finalizers = [...(finalizers ?? []), finalizer];
    },
  }),
);

const NOT_RESIZABLE = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";

/** A claim grows only when it is bound, and its class can do it. */
export function persistentVolumeClaimResize(store: Store): AdmissionPlugin {
  return pluginFor<PersistentVolumeClaim>("PersistentVolumeClaimResize", {
    group: "",
    plural: "persistentvolumeclaims",
    on: ["UPDATE"],
    async check(claim, request) {
      const live = request.live as Loose<PersistentVolumeClaim>;
      const size = ({ spec }: Loose<PersistentVolumeClaim>) => spec?.resources?.requests?.["storage"] ?? "0";
      if (compareQuantities(size(claim), size(live)) <= 0) return;
      if (live.status?.phase !== "Bound") throw refusal(request, "Only bound persistent volume claims can be expanded");
      const name = claim.spec?.storageClassName ?? "";
      const found =
        name !== "" && name === live.spec?.storageClassName
          ? await storedOne<StorageClass>(store, "storage.k8s.io", "storageclasses", name)
          : undefined;
      if (found?.allowVolumeExpansion !== true) throw refusal(request, NOT_RESIZABLE);
    },
  });
}
