/** Kinds of the groups storage.k8s.io and resource.k8s.io. */
import type { RuleTable } from "../rules.ts";
import { resourceClaimTable, resourceSliceTable } from "../table/others.ts";
import { AGED } from "../table/printer.ts";
import { csiDriver, csiNode, csiStorageCapacity, volumeAttributesClass } from "./csi.ts";
import { storageClass } from "./storage-class.ts";
import { volumeAttachment } from "./volume-attachment.ts";

export const storageRules: RuleTable = {
  CSIDriver: csiDriver,
  CSINode: csiNode,
  CSIStorageCapacity: csiStorageCapacity,
  DeviceClass: { table: AGED },
  ResourceClaim: { table: resourceClaimTable },
  ResourceClaimTemplate: { table: AGED },
  ResourceSlice: {
    table: resourceSliceTable,
    selectableFields: { "spec.nodeName": ({ spec }) => spec?.nodeName ?? "", "spec.driver": ({ spec }) => spec?.driver ?? "" },
  },
  StorageClass: storageClass,
  VolumeAttachment: volumeAttachment,
  VolumeAttributesClass: volumeAttributesClass,
};
