import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import { type CrdSpec, defaultCrd, getCrdWarnings, validateCrd } from "../../schema/crd/index.ts";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import { formatTimestamp } from "../metadata/timestamp.ts";
import type { DeletionStrategy, ResourceSchema, ResourceStrategy, ServedResource, TablePrinter } from "../registry/served-resource.ts";
import { mergeStatus, setCondition } from "./conditions.ts";

export const CRD_GROUP = "apiextensions.k8s.io";
export const CRD_PLURAL = "customresourcedefinitions";
/** The finalizer of a CRD that is being deleted, until its objects are deleted. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** Creates the resource of CRDs, a built-in kind. */
export function createCrdResource(base: ServedResource): ServedResource {
  const { group, version, kind, listKind, plural, singular, shortNames, categories, scope, verbs, storage, typed } = base;
  let schema: ResourceSchema | undefined;
  return {
    ...{ group, version, kind, listKind, plural, singular, shortNames, categories, scope, verbs, storage, typed },
    get schema() {
      schema ??= createCrdSchema(base.schema);
      return schema;
    },
    strategy: createCrdStrategy(base.strategy),
    // Metadata may change too: the CRD controller removes its finalizer through status.
    subresources: [
      {
        type: "part",
        name: "status",
        strategy: { prepareForUpdate: (next, live) => ({ ...next, spec: live["spec"] }), resetFields: [["spec"]] },
      },
    ],
    table,
  };
}

function createCrdSchema(base: ResourceSchema): ResourceSchema {
  return {
    prune: (object) => base.prune(object),
    default: (object) => defaultCrd(base.default(object)),
    validate: (object, live) => validateCrd(object, live),
    validateStatus: (object, live) => (isJsonEqual(getStoredVersions(object), getStoredVersions(live)) ? [] : validateCrd(object, live)),
    get shape() {
      return base.shape;
    },
    zeroValue: base.zeroValue,
  };
}

function createCrdStrategy(base: ResourceStrategy): ResourceStrategy {
  return {
    ...base,
    generation: "spec",
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    prepareForCreate: (object, context) => addStoredVersion(base.prepareForCreate?.(object, context) ?? object),
    prepareForUpdate: (next) => addStoredVersion(next),
    warningsOnCreate: (crd) => getCrdWarnings(crd),
    warningsOnUpdate: getCrdWarnings,
    resetFields: [["status"]],
    deletion,
  };
}

function getStoredVersions(crd: JsonObject): readonly string[] {
  return ((crd["status"] as JsonObject | undefined)?.["storedVersions"] ?? []) as readonly string[];
}

/** Adds the storage version to the versions in which objects may be stored. */
function addStoredVersion(crd: JsonObject): JsonObject {
  const { versions } = crd["spec"] as CrdSpec;
  const name = versions?.find((version) => version.storage)?.name;
  const before = getStoredVersions(crd);
  return name === undefined || before.includes(name) ? crd : mergeStatus(crd, { storedVersions: [...before, name] });
}

const deletion: DeletionStrategy = {
  // The first delete only marks the CRD; the finalizer decides when it is removed.
  isDeletionBlocked: (crd) => getMetadata(crd).deletionTimestamp === undefined,
  prepareForDelete(crd, { now }) {
    const { finalizers = [], generation } = getMetadata(crd);
    const marked = withMetadata(crd, {
      finalizers: finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER],
      // Unlike other kinds, the deletion of a CRD does not increase its generation, and it has no grace period.
      generation: generation === undefined ? undefined : generation - 1,
      deletionGracePeriodSeconds: undefined,
    });
    const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    return setCondition(marked, { type: "Terminating", status: "True", reason: "InstanceDeletionPending", message }, formatTimestamp(now));
  },
};

const table: TablePrinter = {
  columns: [
    { name: "Name", type: "string", format: "name", description: "Name of the definition", priority: 0 },
    { name: "Created At", type: "date", format: "", description: "Time at which the definition was created", priority: 0 },
  ],
  cells: (crd) => [getMetadata(crd).name ?? "", getMetadata(crd).creationTimestamp ?? null],
};
