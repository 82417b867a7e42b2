import { extended, type JsonObject } from "pintle/kinds";
import { resourceShape } from "pintle/merge";
import {
  apiVersionOf,
  type GroupVersion,
  metadataOf,
  type PartSubresource,
  type ResourceSchema,
  type ServedResource,
  type Strategy,
  type Subresource,
  type UpdateStrategy,
  type Verb,
  withMetadata,
} from "../api/index.ts";
import { ApiError } from "../status/index.ts";
import { defaulterOf } from "./defaults/index.ts";
import { draftOf, objectOf } from "./draft.ts";
import {
  CONDITIONAL_UPDATE,
  CREATE_ON_UPDATE,
  DEPRECATED,
  generationOf,
  needsFinalizerDomain,
  RETURNS_DELETED,
  STATUS_ONLY,
  STORAGE_GROUP,
  STORAGE_VERSION,
  storagePrefix,
} from "./facts.ts";
import { roundTrip } from "./go/round-trip.ts";
import { settledBy } from "./go/settled.ts";
import { definitionName, structOf } from "./go/structs.ts";
import { zeroStruct } from "./go/zero.ts";
import { definition, type PublishedGroupVersion, type PublishedResource, publishedGroupVersions } from "./published/index.ts";
import type { KindRules, UpdateRules } from "./rules.ts";
import { PLAIN } from "./table/printer.ts";
import { finalizerDomains } from "./validate/finalizers.ts";
import type { Problems } from "./validate/problems.ts";

/** Rules by kind, or by "group/kind" where groups share a kind's name. */
export type RulesOf = (group: string, version: string, kind: string) => KindRules<any>;

/** Every stored kind of a stock server, and every question that has an answer, in discovery order. Schemas are made when first used. */
export function resourcesFrom(rulesOf: RulesOf): readonly ServedResource[] {
  return publishedGroupVersions().flatMap((groupVersion) =>
    groupVersion.resources
      .map((resource) => ({ resource, rules: rulesOf(groupVersion.group, groupVersion.version, resource.kind) }))
      .filter(({ resource, rules }) => resource.verbs.includes("list") || rules.ask !== undefined)
      .map(({ resource, rules }) => servedResource(groupVersion, resource, rules)),
  );
}

function servedResource({ group, version }: PublishedGroupVersion, of: PublishedResource, rules: KindRules<any>): ServedResource {
  const schema = lazily(() => schemaOf(apiVersionOf({ group, version }), of.kind));
  const settled = lazily(() => settledBy(structOf(apiVersionOf({ group, version }), of.kind)));
  return {
    group,
    version,
    kind: of.kind,
    listKind: `${of.kind}List`,
    plural: of.name,
    singular: of.singularName,
    shortNames: of.shortNames ?? [],
    categories: of.categories ?? [],
    scope: of.namespaced ? "Namespaced" : "Cluster",
    verbs: of.verbs as readonly Verb[],
    storage: {
      prefix: storagePrefix(group, of.name),
      version: STORAGE_VERSION[of.kind] ?? version,
      group: STORAGE_GROUP[group],
      conversion: rules.conversion,
      ...(rules.inVersion === undefined ? {} : { inVersion: rules.inVersion }),
    },
    storageVersionHash: of.storageVersionHash,
    get schema() {
      return schema();
    },
    strategy: strategyOf(of, rules, schema, {
      check: needsFinalizerDomain(group, of.kind) ? finalizerDomains : () => [],
      settled: (object) => settled()(object),
    }),
    subresources: subresourcesOf({ group, version }, of, rules),
    table: rules.table ?? PLAIN,
    ask: rules.ask,
    look: rules.look,
    typed: true,
    deprecationWarning: DEPRECATED[of.kind],
  };
}

function schemaOf(apiVersion: string, kind: string): ResourceSchema {
  const struct = structOf(apiVersion, kind);
  const trip = roundTrip(struct);
  const fill = defaulterOf(struct);
  const shape = lazily(() => resourceShape(definition(definitionName(struct)) as JsonObject, definition));
  return {
    prune(object) {
      const unknown: string[] = [];
      const stored = trip(object, unknown) as JsonObject;
      return { object: forgetsOwners(object) ? withMetadata(stored, { managedFields: [] }) : stored, unknown };
    },
    default(object) {
      if (fill === undefined) return object;
      const draft = draftOf<JsonObject>(object);
      fill(draft);
      return draft as JsonObject;
    },
    validate: () => [],
    get shape() {
      return shape();
    },
    blank: zeroStruct(struct) as JsonObject,
  };
}

/** An empty list of managedFields is a wish, not the same as none. */
function forgetsOwners(object: JsonObject): boolean {
  const entries: unknown = metadataOf(object).managedFields;
  return Array.isArray(entries) && entries.length === 0;
}

/** What every kind has in common beyond its rules. */
interface Common {
  /** Of metadata. */
  check(object: JsonObject): Problems;
  settled(object: JsonObject): JsonObject;
}

function strategyOf(of: PublishedResource, rules: KindRules<any>, schema: () => ResourceSchema, { check, settled }: Common): Strategy {
  const hasStatus = of.subresources.some(({ name }) => name === "status");
  const status = lazily(() => blankStatus(schema()));
  const prepareUpdate = prepared(rules.prepareUpdate);
  return {
    prepareCreate(object, context) {
      const blank = hasStatus && rules.statusOnCreate !== true ? extended(object, { status: status() }) : object;
      if (rules.prepareCreate === undefined) return settled(blank);
      const draft = draftOf<any>(blank);
      rules.prepareCreate(draft, context);
      return settled(objectOf(draft));
    },
    validateCreate: (object) => [...check(object), ...(rules.validate?.(object) ?? [])],
    prepareUpdate: (next, live, context) => settled(prepareUpdate(next, live, context)),
    validateUpdate: (next, live) => [...check(next), ...(rules.validateUpdate?.(next, live) ?? rules.validate?.(next) ?? [])],
    ...(rules.warnings === undefined
      ? {}
      : {
          warningsOnCreate: (object) => rules.warnings!(object, undefined),
          warningsOnUpdate: (next, live) => rules.warnings!(next, live),
        }),
    resetFields: rules.resetFields ?? (hasStatus ? [["status"]] : undefined),
    ...(rules.name === undefined ? {} : { validateName: rules.name }),
    generation: rules.generation ?? generationOf(of.kind),
    statusOnCreate: rules.statusOnCreate,
    unconditionalUpdate: !CONDITIONAL_UPDATE.has(of.kind),
    createOnUpdate: CREATE_ON_UPDATE.has(of.kind),
    deletion: RETURNS_DELETED.has(of.kind) ? { ...rules.deletion, returnsObject: true } : rules.deletion,
    selectableFields: rules.selectableFields,
  };
}

/** The status nobody has written yet, as it comes back from storage: with defaults. */
function blankStatus({ blank, default: fill }: ResourceSchema): JsonObject {
  return (fill({ ...blank, metadata: {} })["status"] ?? {}) as JsonObject;
}

function subresourcesOf(own: GroupVersion, of: PublishedResource, rules: KindRules<any>): readonly Subresource[] {
  return of.subresources.flatMap((sub): readonly Subresource[] => {
    const { name } = sub;
    const act = rules.actions?.[name];
    if (act !== undefined) {
      const type = { group: sub.group ?? own.group, version: sub.version ?? own.version, kind: sub.kind };
      const schema = lazily(() => schemaOf(apiVersionOf(type), sub.kind));
      const accepts = {
        ...type,
        get schema() {
          return schema();
        },
      };
      return [{ type: "action", name, verbs: ["create"], accepts, act }];
    }
    if (rules.connections?.includes(name)) {
      return [{ type: "connect", name, verbs: sub.verbs as readonly Verb[], kind: sub.kind, connect: nowhere, ...rules.streams?.[name] }];
    }
    if (name === "scale") return [SCALE];
    if (name === "status") return [{ type: "part", name, strategy: statusStrategy(of.kind, rules.status) }];
    const part = rules.parts?.[name];
    return part === undefined ? [] : [{ ...partOf(name, part), verbs: sub.verbs as readonly Verb[] }];
  });
}

const nowhere = async (): Promise<never> => {
  throw new ApiError(503, "ServiceUnavailable", "this server has no way to the nodes", {});
};

const SCALE: Subresource = {
  type: "scale",
  name: "scale",
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
  selector: ["spec", "selector"],
  defaultReplicas: 1,
};

/** Through /status the spec cannot be changed; of some kinds, metadata neither. */
function statusStrategy(kind: string, rules: UpdateRules<any> | undefined): UpdateStrategy {
  const prepare = rules?.prepare ?? (STATUS_ONLY.has(kind) ? undefined : keepSpec);
  return {
    ...updateStrategy({ ...rules, prepare }),
    resetFields: rules?.resetFields ?? (STATUS_ONLY.has(kind) ? [["metadata"], ["spec"]] : [["spec"]]),
  };
}

const keepSpec: UpdateRules<any>["prepare"] = (draft, live) => {
  draft.spec = live.spec;
};

function partOf(name: string, rules: UpdateRules<any>): PartSubresource {
  return { type: "part", name, strategy: { ...updateStrategy(rules), resetFields: rules.resetFields } };
}

function updateStrategy(rules: UpdateRules<any> | undefined): UpdateStrategy {
  return {
    ...(rules?.prepare === undefined ? {} : { prepareUpdate: prepared(rules.prepare) }),
    validateUpdate: (next, live, context) => [...(rules?.validate?.(next, live, context) ?? [])],
  };
}

function prepared(prepare: UpdateRules<any>["prepare"]): NonNullable<UpdateStrategy["prepareUpdate"]> {
  return (next, live, context) => {
    if (prepare === undefined) return next;
    const draft = draftOf<any>(next);
    prepare(draft, live, context);
    return objectOf(draft);
  };
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
