import type { CSIDriver, CSINode, StorageClass, VolumeAttachment, VolumeAttributesClass } from "pintle/kinds/storage/v1";
import { AGE, flag, integer, NAME, name, printer, text } from "./printer.ts";

const DEFAULT = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

export const storageClassTable = printer<StorageClass>(
  name("Name", ({ metadata }) => {
    const isDefault = DEFAULT.some((annotation) => metadata?.annotations?.[annotation] === "true");
    return `${metadata?.name}${isDefault ? " (default)" : ""}`;
  }),
  text("Provisioner", ({ provisioner }) => provisioner),
  text("ReclaimPolicy", ({ reclaimPolicy }) => reclaimPolicy ?? "Delete"),
  text("VolumeBindingMode", ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate"),
  text("AllowVolumeExpansion", ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
  AGE,
);

export const volumeAttributesClassTable = printer<VolumeAttributesClass>(
  NAME,
  text("DriverName", ({ driverName }) => driverName),
  AGE,
);

export const volumeAttachmentTable = printer<VolumeAttachment>(
  NAME,
  name("Attacher", ({ spec }) => spec?.attacher),
  text("PV", ({ spec }) => spec?.source?.persistentVolumeName),
  text("Node", ({ spec }) => spec?.nodeName),
  flag("Attached", ({ status }) => status?.attached ?? false),
  AGE,
);

export const csiNodeTable = printer<CSINode>(
  NAME,
  integer("Drivers", ({ spec }) => spec?.drivers?.length ?? 0),
  AGE,
);

export const csiDriverTable = printer<CSIDriver>(
  NAME,
  flag("AttachRequired", ({ spec }) => spec?.attachRequired ?? true),
  flag("PodInfoOnMount", ({ spec }) => spec?.podInfoOnMount ?? false),
  flag("StorageCapacity", ({ spec }) => spec?.storageCapacity ?? false),
  text("TokenRequests", ({ spec }) => spec?.tokenRequests?.map(({ audience }) => audience ?? "").join(",") ?? "<unset>"),
  flag("RequiresRepublish", ({ spec }) => spec?.requiresRepublish ?? false),
  text("Modes", ({ spec }) => spec?.volumeLifecycleModes?.join(",") || "<none>"),
  AGE,
);
