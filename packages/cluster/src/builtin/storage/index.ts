/** Kinds of the groups storage.k8s.io and resource.k8s.io. */
import type { RuleTable } from "../rules.ts";
import { resourceClaimTable, resourceSliceTable } from "../table/others.ts";
import { AGED } from "../table/printer.ts";
import { csiDriverTable, csiNodeTable, volumeAttachmentTable, volumeAttributesClassTable } from "../table/storage.ts";
import { storageClass } from "./storage-class.ts";

export const storageRules: RuleTable = {
  CSIDriver: { table: csiDriverTable },
  CSINode: { table: csiNodeTable },
  DeviceClass: { table: AGED },
  ResourceClaim: { table: resourceClaimTable },
  ResourceClaimTemplate: { table: AGED },
  ResourceSlice: {
    table: resourceSliceTable,
    selectableFields: { "spec.nodeName": ({ spec }) => spec?.nodeName ?? "", "spec.driver": ({ spec }) => spec?.driver ?? "" },
  },
  StorageClass: storageClass,
  VolumeAttachment: { table: volumeAttachmentTable },
  VolumeAttributesClass: { table: volumeAttributesClassTable },
};
