import { extendObject } from "pintle/internal/json";
import { memoize } from "pintle/internal/memoize";
import { resourceShapeFromSchema } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import {
  formatApiVersion,
  type GroupVersion,
  getMetadata,
  type ObjectSubresource,
  type ResourceSchema,
  type ResourceStrategy,
  type ServedResource,
  type Subresource,
  type UpdateStrategy,
  type Verb,
  withMetadata,
} from "../api/index.ts";
import { ApiError, fieldError } from "../status/index.ts";
import { getDefaulter } from "./defaulting/index.ts";
import { createDraft, finishDraft } from "./draft.ts";
import { createEmptyListNormalizer } from "./go-types/empty-lists.ts";
import { getDefinitionName, getStructName } from "./go-types/go-structs.ts";
import { getRoundTrip } from "./go-types/round-trip.ts";
import { getZeroStruct } from "./go-types/zero-values.ts";
import {
  DEPRECATION_WARNINGS,
  getGenerationMode,
  getStoragePrefix,
  KINDS_ALLOWING_CREATE_ON_UPDATE,
  KINDS_RETURNING_DELETED_OBJECTS,
  KINDS_WITH_STATUS_ONLY_UPDATES,
  KINDS_WITHOUT_UNCONDITIONAL_UPDATE,
  requiresQualifiedFinalizers,
  STORAGE_GROUPS,
  STORAGE_VERSIONS,
} from "./kind-attributes.ts";
import { DEFAULT_PRINTER } from "./printers/table-printer.ts";
import { getDefinition, listPublishedGroupVersions, type PublishedGroupVersion, type PublishedResource } from "./published/index.ts";
import type { KindStrategy, SubresourceStrategy } from "./strategy/kind-strategy.ts";
import type { FieldErrors } from "./validation/validators.ts";

/** Returns the strategy of a kind. */
export type StrategyLookup = (group: string, version: string, kind: string) => KindStrategy<any>;

/**
 * Creates all built-in resources in discovery order: stored kinds, and virtual ones with a handler. Schemas are
 * compiled on first use.
 */
export function createServedResources(getStrategy: StrategyLookup): readonly ServedResource[] {
  return listPublishedGroupVersions().flatMap((groupVersion) =>
    groupVersion.resources
      .map((resource) => ({ resource, kindStrategy: getStrategy(groupVersion.group, groupVersion.version, resource.kind) }))
      .filter(({ resource, kindStrategy }) => resource.verbs.includes("list") || kindStrategy.evaluateReview !== undefined)
      .map(({ resource, kindStrategy }) => createServedResource(groupVersion, resource, kindStrategy)),
  );
}

function createServedResource(
  { group, version }: PublishedGroupVersion,
  publishedResource: PublishedResource,
  kindStrategy: KindStrategy<any>,
): ServedResource {
  const schema = memoize(() => createResourceSchema(formatApiVersion({ group, version }), publishedResource.kind));
  const settled = memoize(() => createEmptyListNormalizer(getStructName(formatApiVersion({ group, version }), publishedResource.kind)));
  return {
    group,
    version,
    kind: publishedResource.kind,
    listKind: `${publishedResource.kind}List`,
    plural: publishedResource.name,
    singular: publishedResource.singularName,
    shortNames: publishedResource.shortNames ?? [],
    categories: publishedResource.categories ?? [],
    scope: publishedResource.namespaced ? "Namespaced" : "Cluster",
    verbs: publishedResource.verbs as readonly Verb[],
    storage: {
      prefix: getStoragePrefix(group, publishedResource.name),
      version: STORAGE_VERSIONS[publishedResource.kind] ?? version,
      group: STORAGE_GROUPS[group],
      conversion: kindStrategy.conversion,
      ...(kindStrategy.convertToVersion === undefined ? {} : { convertToVersion: kindStrategy.convertToVersion }),
    },
    storageVersionHash: publishedResource.storageVersionHash,
    get schema() {
      return schema();
    },
    strategy: createStrategy(publishedResource, kindStrategy, schema, {
      validateMetadata: requiresQualifiedFinalizers(group, publishedResource.kind) ? validateFinalizerNames : () => [],
      normalizeEmptyLists: (object) => settled()(object),
    }),
    subresources: createSubresources({ group, version }, publishedResource, kindStrategy),
    table: kindStrategy.tablePrinter ?? DEFAULT_PRINTER,
    evaluateReview: kindStrategy.evaluateReview,
    computeObjects: kindStrategy.computeObjects,
    typed: true,
    deprecationWarning: DEPRECATION_WARNINGS[publishedResource.kind],
  };
}

function createResourceSchema(apiVersion: string, kind: string): ResourceSchema {
  const struct = getStructName(apiVersion, kind);
  const roundTrip = getRoundTrip(struct);
  const applyDefaults = getDefaulter(struct);
  const shape = memoize(() => resourceShapeFromSchema(getDefinition(getDefinitionName(struct)) as JsonObject, getDefinition));
  return {
    prune(object) {
      const unknown: string[] = [];
      const stored = roundTrip(object, unknown) as JsonObject;
      return { object: resetsManagedFields(object) ? withMetadata(stored, { managedFields: [] }) : stored, unknown };
    },
    default(object) {
      if (applyDefaults === undefined) return object;
      const draft = createDraft<JsonObject>(object);
      applyDefaults(draft);
      return draft as JsonObject;
    },
    validate: () => [],
    get shape() {
      return shape();
    },
    zeroValue: getZeroStruct(struct) as JsonObject,
  };
}

/** Returns whether the object has an empty managedFields list, which resets the field owners. */
function resetsManagedFields(object: JsonObject): boolean {
  const entries: unknown = getMetadata(object).managedFields;
  return Array.isArray(entries) && entries.length === 0;
}

/** The part of a strategy that all kinds share. */
interface CommonStrategy {
  /** Validates metadata. */
  validateMetadata(object: JsonObject): FieldErrors;
  normalizeEmptyLists(object: JsonObject): JsonObject;
}

function createStrategy(
  publishedResource: PublishedResource,
  kindStrategy: KindStrategy<any>,
  schema: () => ResourceSchema,
  { validateMetadata, normalizeEmptyLists }: CommonStrategy,
): ResourceStrategy {
  const hasStatus = publishedResource.subresources.some(({ name }) => name === "status");
  const status = memoize(() => getBlankStatus(schema()));
  const prepareUpdate = wrapPrepare(kindStrategy.prepareForUpdate);
  return {
    prepareForCreate(object, context) {
      const blank = hasStatus && kindStrategy.allowStatusOnCreate !== true ? extendObject(object, { status: status() }) : object;
      if (kindStrategy.prepareForCreate === undefined) return normalizeEmptyLists(blank);
      const draft = createDraft<any>(blank);
      kindStrategy.prepareForCreate(draft, context);
      return normalizeEmptyLists(finishDraft(draft));
    },
    validateCreate: (object) => [...validateMetadata(object), ...(kindStrategy.validate?.(object) ?? [])],
    prepareForUpdate: (next, live, context) => normalizeEmptyLists(prepareUpdate(next, live, context)),
    validateUpdate: (next, live) => [
      ...validateMetadata(next),
      ...(kindStrategy.validateUpdate?.(next, live) ?? kindStrategy.validate?.(next) ?? []),
    ],
    ...(kindStrategy.warnings === undefined
      ? {}
      : {
          warningsOnCreate: (object) => kindStrategy.warnings!(object, undefined),
          warningsOnUpdate: (next, live) => kindStrategy.warnings!(next, live),
        }),
    resetFields: kindStrategy.resetFields ?? (hasStatus ? [["status"]] : undefined),
    ...(kindStrategy.validateName === undefined ? {} : { validateName: kindStrategy.validateName }),
    generation: kindStrategy.generation ?? getGenerationMode(publishedResource.kind),
    allowStatusOnCreate: kindStrategy.allowStatusOnCreate,
    allowUnconditionalUpdate: !KINDS_WITHOUT_UNCONDITIONAL_UPDATE.has(publishedResource.kind),
    allowCreateOnUpdate: KINDS_ALLOWING_CREATE_ON_UPDATE.has(publishedResource.kind),
    deletion: KINDS_RETURNING_DELETED_OBJECTS.has(publishedResource.kind)
      ? { ...kindStrategy.deletion, returnsDeletedObject: true }
      : kindStrategy.deletion,
    selectableFields: kindStrategy.selectableFields,
  };
}

/** Returns the initial status with defaults. */
function getBlankStatus({ zeroValue, default: fill }: ResourceSchema): JsonObject {
  return (fill({ ...zeroValue, metadata: {} })["status"] ?? {}) as JsonObject;
}

function createSubresources(
  groupVersion: GroupVersion,
  publishedResource: PublishedResource,
  kindStrategy: KindStrategy<any>,
): readonly Subresource[] {
  return publishedResource.subresources.flatMap((sub): readonly Subresource[] => {
    const { name } = sub;
    const act = kindStrategy.actions?.[name];
    if (act !== undefined) {
      const type = { group: sub.group ?? groupVersion.group, version: sub.version ?? groupVersion.version, kind: sub.kind };
      const schema = memoize(() => createResourceSchema(formatApiVersion(type), sub.kind));
      const accepts = {
        ...type,
        olderApiVersions: kindStrategy.olderActionVersions?.[name],
        get schema() {
          return schema();
        },
      };
      return [{ type: "action", name, verbs: ["create"], accepts, execute: act }];
    }
    if (kindStrategy.connectSubresources?.includes(name)) {
      return [
        {
          type: "connect",
          name,
          verbs: sub.verbs as readonly Verb[],
          kind: sub.kind,
          connect: rejectConnection,
          ...kindStrategy.connectHandlers?.[name],
        },
      ];
    }
    if (name === "scale") return [SCALE_SUBRESOURCE];
    if (name === "status") return [{ type: "part", name, strategy: createStatusStrategy(publishedResource.kind, kindStrategy.status) }];
    const part = kindStrategy.subresources?.[name];
    return part === undefined ? [] : [{ ...createPartSubresource(name, part), verbs: sub.verbs as readonly Verb[] }];
  });
}

const rejectConnection = async (): Promise<never> => {
  throw new ApiError(503, "ServiceUnavailable", "this server has no way to the nodes", {});
};

const SCALE_SUBRESOURCE: Subresource = {
  type: "scale",
  name: "scale",
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
  selector: ["spec", "selector"],
  defaultReplicas: 1,
};

/** Creates the strategy of the status subresource, which does not change the spec and, for some kinds, the metadata. */
function createStatusStrategy(kind: string, subresourceStrategy: SubresourceStrategy<any> | undefined): UpdateStrategy {
  const prepareForUpdate = subresourceStrategy?.prepareForUpdate ?? (KINDS_WITH_STATUS_ONLY_UPDATES.has(kind) ? undefined : keepSpec);
  return {
    ...createUpdateStrategy({ ...subresourceStrategy, prepareForUpdate }),
    resetFields: subresourceStrategy?.resetFields ?? (KINDS_WITH_STATUS_ONLY_UPDATES.has(kind) ? [["metadata"], ["spec"]] : [["spec"]]),
  };
}

const keepSpec: SubresourceStrategy<any>["prepareForUpdate"] = (draft, live) => {
  draft.spec = live.spec;
};

function createPartSubresource(name: string, subresourceStrategy: SubresourceStrategy<any>): ObjectSubresource {
  return { type: "part", name, strategy: { ...createUpdateStrategy(subresourceStrategy), resetFields: subresourceStrategy.resetFields } };
}

function createUpdateStrategy(subresourceStrategy: SubresourceStrategy<any> | undefined): UpdateStrategy {
  return {
    ...(subresourceStrategy?.prepareForUpdate === undefined ? {} : { prepareForUpdate: wrapPrepare(subresourceStrategy.prepareForUpdate) }),
    validateUpdate: (next, live, context) => [...(subresourceStrategy?.validate?.(next, live, context) ?? [])],
  };
}

function wrapPrepare(prepare: SubresourceStrategy<any>["prepareForUpdate"]): NonNullable<UpdateStrategy["prepareForUpdate"]> {
  return (next, live, context) => {
    if (prepare === undefined) return next;
    const draft = createDraft<any>(next);
    prepare(draft, live, context);
    return finishDraft(draft);
  };
}

const STANDARD_FINALIZERS = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Requires qualified finalizer names, except for the standard ones. */
function* validateFinalizerNames(object: JsonObject): FieldErrors {
  for (const [i, name] of (getMetadata(object).finalizers ?? []).entries()) {
    if (name.includes("/") || STANDARD_FINALIZERS.has(name)) continue;
    const why = "name is neither a standard finalizer name nor is it fully qualified";
    yield fieldError.invalid(`metadata.finalizers[${i}]`, name, why);
  }
}
