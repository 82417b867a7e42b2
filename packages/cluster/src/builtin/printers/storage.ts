import type { CSIDriver, CSINode, StorageClass, VolumeAttachment, VolumeAttributesClass } from "pintle/kinds/storage/v1";
import { AGE_COLUMN, booleanColumn, createTablePrinter, integerColumn, NAME_COLUMN, nameColumn, stringColumn } from "./table-printer.ts";

const IS_DEFAULT_ANNOTATIONS = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

export const storageClassPrinter = createTablePrinter<StorageClass>(
  nameColumn("Name", ({ metadata }) => {
    const isDefault = IS_DEFAULT_ANNOTATIONS.some((annotation) => metadata?.annotations?.[annotation] === "true");
    return `${metadata?.name}${isDefault ? " (default)" : ""}`;
  }),
  stringColumn("Provisioner", ({ provisioner }) => provisioner),
  stringColumn("ReclaimPolicy", ({ reclaimPolicy }) => reclaimPolicy ?? "Delete"),
  stringColumn("VolumeBindingMode", ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate"),
  stringColumn("AllowVolumeExpansion", ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
  AGE_COLUMN,
);

export const volumeAttributesClassPrinter = createTablePrinter<VolumeAttributesClass>(
  NAME_COLUMN,
  stringColumn("DriverName", ({ driverName }) => driverName),
  AGE_COLUMN,
);

export const volumeAttachmentPrinter = createTablePrinter<VolumeAttachment>(
  NAME_COLUMN,
  nameColumn("Attacher", ({ spec }) => spec?.attacher),
  stringColumn("PV", ({ spec }) => spec?.source?.persistentVolumeName),
  stringColumn("Node", ({ spec }) => spec?.nodeName),
  booleanColumn("Attached", ({ status }) => status?.attached ?? false),
  AGE_COLUMN,
);

export const csiNodePrinter = createTablePrinter<CSINode>(
  NAME_COLUMN,
  integerColumn("Drivers", ({ spec }) => spec?.drivers?.length ?? 0),
  AGE_COLUMN,
);

export const csiDriverPrinter = createTablePrinter<CSIDriver>(
  NAME_COLUMN,
  booleanColumn("AttachRequired", ({ spec }) => spec?.attachRequired ?? true),
  booleanColumn("PodInfoOnMount", ({ spec }) => spec?.podInfoOnMount ?? false),
  booleanColumn("StorageCapacity", ({ spec }) => spec?.storageCapacity ?? false),
  stringColumn("TokenRequests", ({ spec }) => spec?.tokenRequests?.map(({ audience }) => audience ?? "").join(",") ?? "<unset>"),
  booleanColumn("RequiresRepublish", ({ spec }) => spec?.requiresRepublish ?? false),
  stringColumn("Modes", ({ spec }) => spec?.volumeLifecycleModes?.join(",") || "<none>"),
  AGE_COLUMN,
);
