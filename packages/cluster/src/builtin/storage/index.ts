/** Kinds of the groups storage.k8s.io and resource.k8s.io. */
import type { RuleTable } from "../rules.ts";
import { AGED } from "../table/printer.ts";
import { csiDriver, csiNode, csiStorageCapacity, volumeAttributesClass } from "./csi.ts";
import { resourceClaim, resourceClaimTemplate, resourceSlice } from "./devices.ts";
import { storageClass } from "./storage-class.ts";
import { volumeAttachment } from "./volume-attachment.ts";

export const storageRules: RuleTable = {
  CSIDriver: csiDriver,
  CSINode: csiNode,
  CSIStorageCapacity: csiStorageCapacity,
  DeviceClass: { table: AGED },
  ResourceClaim: resourceClaim,
  ResourceClaimTemplate: resourceClaimTemplate,
  ResourceSlice: resourceSlice,
  StorageClass: storageClass,
  VolumeAttachment: volumeAttachment,
  VolumeAttributesClass: volumeAttributesClass,
};
