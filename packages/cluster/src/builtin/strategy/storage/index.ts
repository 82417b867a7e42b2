/** Strategies of storage.k8s.io and resource.k8s.io. */

import { NAME_AND_AGE_PRINTER } from "../../printers/table-printer.ts";
import type { StrategyTable } from "../kind-strategy.ts";
import { csiDriverStrategy, csiNodeStrategy, csiStorageCapacityStrategy, volumeAttributesClassStrategy } from "./csi.ts";
import { resourceClaimStrategy, resourceClaimTemplateStrategy, resourceSliceStrategy } from "./device-resources.ts";
import { storageClassStrategy } from "./storage-class.ts";
import { volumeAttachmentStrategy } from "./volume-attachment.ts";

export const storageStrategies: StrategyTable = {
  CSIDriver: csiDriverStrategy,
  CSINode: csiNodeStrategy,
  CSIStorageCapacity: csiStorageCapacityStrategy,
  DeviceClass: { tablePrinter: NAME_AND_AGE_PRINTER },
  ResourceClaim: resourceClaimStrategy,
  ResourceClaimTemplate: resourceClaimTemplateStrategy,
  ResourceSlice: resourceSliceStrategy,
  StorageClass: storageClassStrategy,
  VolumeAttachment: volumeAttachmentStrategy,
  VolumeAttributesClass: volumeAttributesClassStrategy,
};
