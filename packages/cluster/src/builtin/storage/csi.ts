import type { CSIDriver, CSINode, CSINodeDriver, CSIStorageCapacity, VolumeAttributesClass } from "pintle/kinds/storage/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { csiDriverTable, csiNodeTable, volumeAttributesClassTable } from "../table/storage.ts";
import { labelSelector } from "../validate/labels.ts";
import {
  dnsSubdomain,
  immutable,
  maybeOneOf,
  nonnegative,
  nonnegativeQuantity,
  type Problems,
  qualifiedName,
  same,
} from "../validate/problems.ts";
import { csiDriverName } from "../validate/volumes.ts";

const LIFECYCLES = ["Persistent", "Ephemeral"];

export const csiDriver = rules<CSIDriver>({
  prepareUpdate({ metadata, spec }, live) {
    // It counts changes from none at all, unlike others.
    if (metadata && !same(spec, live.spec)) metadata.generation = (live.metadata?.generation ?? 0) + 1;
  },
  validate: validateDriver,
  validateUpdate: function* (object, live) {
    yield* validateDriver(object);
    yield* immutable("spec.attachedRequired", object.spec?.attachRequired, live.spec?.attachRequired);
    yield* immutable("spec.volumeLifecycleModes", object.spec?.volumeLifecycleModes, live.spec?.volumeLifecycleModes);
  },
  table: csiDriverTable,
});

function* validateDriver({ spec }: Loose<CSIDriver>): Problems {
  yield* maybeOneOf("spec.fsGroupPolicy", spec?.fsGroupPolicy, ["File", "None", "ReadWriteOnceWithFSType"]);
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
  for (const mode of spec?.volumeLifecycleModes ?? []) yield* maybeOneOf("spec.volumeLifecycleModes", mode, LIFECYCLES);
  const period = spec?.nodeAllocatableUpdatePeriodSeconds;
  if (period != null && period < 10) {
    yield fieldError.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, "must be greater than or equal to 10 seconds");
  }
}

export const csiNode = rules<CSINode>({
  validate: validateNode,
  validateUpdate: function* (object, live) {
    yield* validateNode(object);
    const fixed = ({ allocatable: _, ...driver }: Loose<CSINodeDriver>) => driver;
    for (const before of live.spec?.drivers ?? []) {
      const now = object.spec?.drivers?.find(({ name }) => name === before.name);
      if (now) yield* immutable("spec.drivers", fixed(now), fixed(before));
    }
  },
  table: csiNodeTable,
});

function* validateNode({ spec }: Loose<CSINode>): Problems {
  const names = new Set<string>();
  for (const [i, { name, nodeID, allocatable, topologyKeys }] of (spec?.drivers ?? []).entries()) {
    const at = `spec.drivers[${i}]`;
    yield* csiDriverName(`${at}.name`, name);
    if (!nodeID) yield fieldError.required(`${at}.nodeID`);
    else if (nodeID.length > 256) yield fieldError.invalid(`${at}.nodeID`, nodeID, "must be 256 characters or less");
    yield* nonnegative(`${at}.allocatable.count`, allocatable?.count);
    if (names.has(name ?? "")) yield fieldError.duplicate(`${at}.name`, name ?? "");
    names.add(name ?? "");
    for (const [j, key] of (topologyKeys ?? []).entries()) {
      if (key === "") yield fieldError.required(at);
      if (topologyKeys!.indexOf(key) < j) yield fieldError.duplicate(at, key);
      yield* qualifiedName(at, key);
    }
  }
}

function* validateCapacity({ nodeTopology, storageClassName, capacity }: Loose<CSIStorageCapacity>): Problems {
  yield* labelSelector("nodeTopology", nodeTopology);
  yield* dnsSubdomain("storageClassName", storageClassName ?? "");
  if (capacity != null) yield* nonnegativeQuantity("capacity", capacity);
}

export const csiStorageCapacity = rules<CSIStorageCapacity>({
  validate: validateCapacity,
  validateUpdate: function* (object, live) {
    yield* validateCapacity(object);
    yield* immutable("nodeTopology", object.nodeTopology, live.nodeTopology);
    yield* immutable("storageClassName", object.storageClassName, live.storageClassName);
  },
});

const LONGEST_PARAMETERS = 256 * 1024;

export const volumeAttributesClass = rules<VolumeAttributesClass>({
  validate: validateAttributes,
  validateUpdate: function* (object, live) {
    for (const field of ["driverName", "parameters"] as const) {
      if (!same(object[field], live[field])) yield fieldError.forbidden(field, `updates to ${field} are forbidden.`);
    }
    yield* validateAttributes(object);
  },
  table: volumeAttributesClassTable,
});

function* validateAttributes({ driverName, parameters }: Loose<VolumeAttributesClass>): Problems {
  if (!driverName) yield fieldError.required("driverName");
  else yield* qualifiedName("driverName", driverName.toLowerCase());
  const entries = Object.entries(parameters ?? {});
  if (entries.length > 512) return yield fieldError.tooLong("parameters", 512);
  if (entries.some(([key]) => key === "")) yield fieldError.invalid("parameters", "", "field can not be empty.");
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value ?? ""), 0);
  if (size > LONGEST_PARAMETERS) yield fieldError.tooLong("parameters", LONGEST_PARAMETERS);
  if (entries.length === 0) yield fieldError.required("parameters", "must contain at least one key/value pair");
}
