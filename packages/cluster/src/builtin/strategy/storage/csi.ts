import type { CSIDriver, CSINode, CSINodeDriver, CSIStorageCapacity, VolumeAttributesClass } from "pintle/kinds/storage/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { csiDriverPrinter, csiNodePrinter, volumeAttributesClassPrinter } from "../../printers/storage.ts";
import { validateLabelSelector } from "../../validation/labels.ts";
import {
  type FieldErrors,
  isSemanticallyEqual,
  validateDnsSubdomainField,
  validateEnum,
  validateImmutableField,
  validateNonnegative,
  validateNonnegativeQuantity,
  validateQualifiedNameField,
} from "../../validation/validators.ts";
import { validateCsiDriverName } from "../../validation/volumes.ts";
import { defineStrategy } from "../kind-strategy.ts";

const LIFECYCLE_MODES = ["Persistent", "Ephemeral"];

export const csiDriverStrategy = defineStrategy<CSIDriver>({
  prepareForUpdate({ metadata, spec }, live) {
    // Unlike other kinds, the generation of a CSIDriver starts at 0.
    if (metadata && !isSemanticallyEqual(spec, live.spec)) metadata.generation = (live.metadata?.generation ?? 0) + 1;
  },
  validate: validateCsiDriver,
  validateUpdate: function* (object, live) {
    yield* validateCsiDriver(object);
    yield* validateImmutableField("spec.attachedRequired", object.spec?.attachRequired, live.spec?.attachRequired);
    yield* validateImmutableField("spec.volumeLifecycleModes", object.spec?.volumeLifecycleModes, live.spec?.volumeLifecycleModes);
  },
  tablePrinter: csiDriverPrinter,
});

function* validateCsiDriver({ spec }: Unvalidated<CSIDriver>): FieldErrors {
  yield* validateEnum("spec.fsGroupPolicy", spec?.fsGroupPolicy, ["File", "None", "ReadWriteOnceWithFSType"]);
  const audiences = new Set<string>();
  for (const [i, { audience, expirationSeconds: seconds }] of (spec?.tokenRequests ?? []).entries()) {
    const at = `spec.tokenRequests[${i}]`;
    if (audiences.has(audience ?? "")) yield fieldError.duplicate(`${at}.audience`, audience ?? "");
    else if (seconds != null && seconds < 600) {
      yield fieldError.invalid(`${at}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes");
    } else if (seconds != null && seconds > 2 ** 32) {
      yield fieldError.invalid(`${at}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds");
    }
    audiences.add(audience ?? "");
  }
  for (const mode of spec?.volumeLifecycleModes ?? []) yield* validateEnum("spec.volumeLifecycleModes", mode, LIFECYCLE_MODES);
  const period = spec?.nodeAllocatableUpdatePeriodSeconds;
  if (period != null && period < 10) {
    yield fieldError.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, "must be greater than or equal to 10 seconds");
  }
}

export const csiNodeStrategy = defineStrategy<CSINode>({
  validate: validateCsiNode,
  validateUpdate: function* (object, live) {
    yield* validateCsiNode(object);
    const withoutAllocatable = ({ allocatable: _, ...driver }: Unvalidated<CSINodeDriver>) => driver;
    for (const before of live.spec?.drivers ?? []) {
      const now = object.spec?.drivers?.find(({ name }) => name === before.name);
      if (now) yield* validateImmutableField("spec.drivers", withoutAllocatable(now), withoutAllocatable(before));
    }
  },
  tablePrinter: csiNodePrinter,
});

function* validateCsiNode({ spec }: Unvalidated<CSINode>): FieldErrors {
  const names = new Set<string>();
  for (const [i, { name, nodeID, allocatable, topologyKeys }] of (spec?.drivers ?? []).entries()) {
    const at = `spec.drivers[${i}]`;
    yield* validateCsiDriverName(`${at}.name`, name);
    if (!nodeID) yield fieldError.required(`${at}.nodeID`);
    else if (nodeID.length > 256) yield fieldError.invalid(`${at}.nodeID`, nodeID, "must be 256 characters or less");
    yield* validateNonnegative(`${at}.allocatable.count`, allocatable?.count);
    if (names.has(name ?? "")) yield fieldError.duplicate(`${at}.name`, name ?? "");
    names.add(name ?? "");
    for (const [j, key] of (topologyKeys ?? []).entries()) {
      if (key === "") yield fieldError.required(at);
      if (topologyKeys!.indexOf(key) < j) yield fieldError.duplicate(at, key);
      yield* validateQualifiedNameField(at, key);
    }
  }
}

function* validateCsiStorageCapacity({ nodeTopology, storageClassName, capacity }: Unvalidated<CSIStorageCapacity>): FieldErrors {
  yield* validateLabelSelector("nodeTopology", nodeTopology);
  yield* validateDnsSubdomainField("storageClassName", storageClassName ?? "");
  if (capacity != null) yield* validateNonnegativeQuantity("capacity", capacity);
}

export const csiStorageCapacityStrategy = defineStrategy<CSIStorageCapacity>({
  validate: validateCsiStorageCapacity,
  validateUpdate: function* (object, live) {
    yield* validateCsiStorageCapacity(object);
    yield* validateImmutableField("nodeTopology", object.nodeTopology, live.nodeTopology);
    yield* validateImmutableField("storageClassName", object.storageClassName, live.storageClassName);
  },
});

const MAX_PARAMETER_BYTES = 256 * 1024;

export const volumeAttributesClassStrategy = defineStrategy<VolumeAttributesClass>({
  validate: validateVolumeAttributesClass,
  validateUpdate: function* (object, live) {
    for (const field of ["driverName", "parameters"] as const) {
      if (!isSemanticallyEqual(object[field], live[field])) yield fieldError.forbidden(field, `updates to ${field} are forbidden.`);
    }
    yield* validateVolumeAttributesClass(object);
  },
  tablePrinter: volumeAttributesClassPrinter,
});

function* validateVolumeAttributesClass({ driverName, parameters }: Unvalidated<VolumeAttributesClass>): FieldErrors {
  if (!driverName) yield fieldError.required("driverName");
  else yield* validateQualifiedNameField("driverName", driverName.toLowerCase());
  const entries = Object.entries(parameters ?? {});
  if (entries.length > 512) return yield fieldError.tooLong("parameters", 512);
  if (entries.some(([key]) => key === "")) yield fieldError.invalid("parameters", "", "field can not be empty.");
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value ?? ""), 0);
  if (size > MAX_PARAMETER_BYTES) yield fieldError.tooLong("parameters", MAX_PARAMETER_BYTES);
  if (entries.length === 0) yield fieldError.required("parameters", "must contain at least one key/value pair");
}
