import type * as z from "zod";
import { type DeepReadonly, defineKind, type JsonObject, type Scope } from "../kinds/index.ts";
import { resourceShapeFromSchema } from "../merge/index.ts";
import {
  buildCrd,
  buildCrdVersion,
  convertObject,
  type ResourceModel,
  resolveNames,
  servingFields,
  type VersionModel,
  versionSchema,
} from "./crd/index.ts";
import { InvalidResource } from "./invalid-resource.ts";
import type { Resource, WebhookClientConfig } from "./resource.ts";
import type { OlderVersion, ResourceDefinition, UnchangedVersion } from "./resource-definition.ts";

/**
 * Defines a custom resource from its Zod schemas. The result is a kind for controllers, clients and webhooks, and has the
 * CustomResourceDefinition (`crd()`) and the conversions between its versions (`older()`, `unchangedIn()`, `convert()`).
 *
 * Guarantees: throws `InvalidResource`, with the path of the field and what to write instead, for a schema that the API server would
 * reject or not enforce. Every object that is read has a `spec`; `status` has no required fields. CEL rules are not compiled here.
 *
 * @example
 * ```ts
 * import { defineResource, type ObjectOf, z } from "pintle";
 *
 * export const Memcached = defineResource({
 *   group: "cache.example.com",
 *   version: "v1alpha1",
 *   kind: "Memcached",
 *   spec: z.object({ size: z.int().min(1).max(9).default(1).describe("The number of memcached pods.") }),
 *   status: z.object({ nodes: z.array(z.string()) }),
 *   conditions: ["Available"],
 *   columns: [{ name: "Size", path: ".spec.size" }],
 * });
 * export interface Memcached extends ObjectOf<typeof Memcached> {}
 * ```
 */
export function defineResource<
  const G extends string,
  const V extends string,
  const K extends string,
  S extends z.ZodObject,
  T extends z.ZodObject = never,
  const C extends string = never,
  const Sc extends Scope = "Namespaced",
>(
  definition: ResourceDefinition<G, V, K, S, T, C, Sc>,
): Resource<`${G}/${V}/${K}`, DeepReadonly<z.output<S>>, DeepReadonly<z.input<S>>, DeepReadonly<z.output<T>>, C, Sc> {
  const { spec, status, labels, annotations, scope = "Namespaced", conditions = [], description, rules } = definition;
  return withKindInErrors(definition.kind, () =>
    buildResource({
      names: resolveNames(definition),
      scope,
      labels,
      annotations,
      conditions,
      hub: definition.version,
      storageVersion: definition.version,
      versions: [{ crd: buildCrdVersion(definition.version, { spec, status, conditions, description, rules }, definition) }],
    }),
  );
}

/** Builds the resource of a model; every chained version builds a new one. */
function buildResource(model: ResourceModel): any {
  const { names, conditions } = model;
  const [hub, ...others] = model.versions.map(({ crd }) => buildKind(model, crd));
  const at = Object.fromEntries(others.map((other) => [other.version, Object.freeze(other)]));
  const members = {
    conditions,
    crdFileName: `${names.group}_${names.plural}.yaml`,
    at,
    crd: (options: { conversion?: WebhookClientConfig } = {}) => buildCrd(model, options.conversion),
    convert: (object: JsonObject, to: string) => convertObject(model, object, to),
    older: (older: OlderVersion<string, z.ZodObject, z.ZodObject, any, any, any>) =>
      withKindInErrors(names.kind, () => {
        const { spec, status, description, rules, toHub, fromHub } = older;
        for (const [name, conversion] of Object.entries({ toHub, fromHub }))
          if (typeof conversion !== "function")
            throw new InvalidResource(name, `no conversion between ${older.version} and ${model.hub}`, "write the conversion function");
        return buildResource(
          addVersion(model, older, {
            crd: buildCrdVersion(older.version, { spec, status, conditions, description, rules }, older),
            convert: { toHub, fromHub },
          }),
        );
      }),
    unchangedIn: (other: UnchangedVersion<string>) =>
      withKindInErrors(names.kind, () => {
        const { deprecated: _, deprecationWarning: __, ...same } = model.versions[0]!.crd;
        return buildResource(addVersion(model, other, { crd: { ...same, ...servingFields(other.version, other) } }));
      }),
  };
  return Object.freeze(Object.defineProperties(hub!, Object.getOwnPropertyDescriptors(members)));
}

function buildKind({ names, scope }: ResourceModel, crd: VersionModel["crd"]) {
  return defineKind(`${names.group}/${crd.name}/${names.kind}`, names.plural, scope, {
    subresources: Object.keys(crd.subresources ?? {}),
    shape: () => resourceShapeFromSchema(versionSchema(crd) as JsonObject),
  });
}

function addVersion(model: ResourceModel, { version: name, stored }: UnchangedVersion<string>, next: VersionModel): ResourceModel {
  if (model.versions.some(({ crd }) => crd.name === name))
    throw new InvalidResource("version", `${name} is defined twice`, "define each version once");
  if (stored && model.storageVersion !== model.hub) {
    throw new InvalidResource("stored", `both ${model.storageVersion} and ${name} are storage versions`, "mark one version as stored");
  }
  return { ...model, storageVersion: stored ? name : model.storageVersion, versions: [...model.versions, next] };
}

/** Adds the kind to the message of an `InvalidResource` thrown by `build`. */
function withKindInErrors<T>(kind: string, build: () => T): T {
  try {
    return build();
  } catch (error) {
    throw error instanceof InvalidResource ? error.withKind(kind) : error;
  }
}
