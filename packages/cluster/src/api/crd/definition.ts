import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import { type CrdSpec, crdWarnings, defaultCrd, validateCrd } from "../../schema/index.ts";
import { timestamp } from "../clock.ts";
import { metadataOf, withMetadata } from "../metadata/metadata.ts";
import type { DeletionRules, ResourceSchema, ServedResource, Strategy, TablePrinter } from "../resource.ts";
import { withCondition, withStatus } from "./condition.ts";

export const CRD_GROUP = "apiextensions.k8s.io";
export const CRD_PLURAL = "customresourcedefinitions";
/** Stays on a CRD that is being deleted until its objects are gone. */
export const CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

/** The resource of CRDs: a built-in kind whose content decides what else is served. */
export function crdResource(base: ServedResource): ServedResource {
  const { group, version, kind, listKind, plural, singular, shortNames, categories, scope, verbs, storage, typed } = base;
  let schema: ResourceSchema | undefined;
  return {
    ...{ group, version, kind, listKind, plural, singular, shortNames, categories, scope, verbs, storage, typed },
    get schema() {
      schema ??= crdSchema(base.schema);
      return schema;
    },
    strategy: crdStrategy(base.strategy),
    // Metadata comes through too: that is how the cleanup takes its finalizer away.
    subresources: [
      {
        type: "part",
        name: "status",
        strategy: { prepareUpdate: (next, live) => ({ ...next, spec: live["spec"] }), resetFields: [["spec"]] },
      },
    ],
    table,
  };
}

function crdSchema(base: ResourceSchema): ResourceSchema {
  return {
    prune: (object) => base.prune(object),
    default: (object) => defaultCrd(base.default(object)),
    validate: (object, live) => validateCrd(object, live),
    validateStatus: (object, live) => (equal(storedVersions(object), storedVersions(live)) ? [] : validateCrd(object, live)),
    get shape() {
      return base.shape;
    },
    blank: base.blank,
  };
}

function crdStrategy(base: Strategy): Strategy {
  return {
    ...base,
    generation: "spec",
    unconditionalUpdate: false,
    createOnUpdate: false,
    prepareCreate: (object, context) => stored(base.prepareCreate?.(object, context) ?? object),
    prepareUpdate: (next) => stored(next),
    warningsOnCreate: (crd) => crdWarnings(crd),
    warningsOnUpdate: crdWarnings,
    resetFields: [["status"]],
    deletion,
  };
}

function storedVersions(crd: JsonObject): readonly string[] {
  return ((crd["status"] as JsonObject | undefined)?.["storedVersions"] ?? []) as readonly string[];
}

/** Objects may be stored in any version that ever was the one to store in. */
function stored(crd: JsonObject): JsonObject {
  const { versions } = crd["spec"] as CrdSpec;
  const name = versions?.find((version) => version.storage)?.name;
  const before = storedVersions(crd);
  return name === undefined || before.includes(name) ? crd : withStatus(crd, { storedVersions: [...before, name] });
}

const deletion: DeletionRules = {
  // The first delete only announces itself; what it takes to let go is the finalizer's matter.
  held: (crd) => metadataOf(crd).deletionTimestamp === undefined,
  mark(crd, { now }) {
    const { finalizers = [], generation } = metadataOf(crd);
    const marked = withMetadata(crd, {
      finalizers: finalizers.includes(CLEANUP) ? finalizers : [...finalizers, CLEANUP],
      // Unlike other kinds, a CRD neither counts its deletion nor is given a grace period.
      generation: generation === undefined ? undefined : generation - 1,
      deletionGracePeriodSeconds: undefined,
    });
    const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    return withCondition(marked, { type: "Terminating", status: "True", reason: "InstanceDeletionPending", message }, timestamp(now));
  },
};

const table: TablePrinter = {
  columns: [
    { name: "Name", type: "string", format: "name", description: "Name of the definition", priority: 0 },
    { name: "Created At", type: "date", format: "", description: "Time at which the definition was created", priority: 0 },
  ],
  cells: (crd) => [metadataOf(crd).name ?? "", metadataOf(crd).creationTimestamp ?? null],
};
