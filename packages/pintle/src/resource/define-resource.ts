import type * as z from "zod";
import { type DeepReadonly, type JsonObject, kind, type Scope } from "../kinds/index.ts";
import { resourceShape } from "../merge/index.ts";
import { convert } from "./convert.ts";
import { crd } from "./crd.ts";
import type { Definition, Older, Unchanged } from "./definition.ts";
import { InvalidResource } from "./invalid-resource.ts";
import type { Model } from "./model.ts";
import { names } from "./names.ts";
import type { Resource, WebhookClient } from "./resource.ts";
import { schemaOf, standing, type Version, version } from "./version.ts";

/**
 * A custom resource from its schema.
 *
 * ```ts
 * export const Memcached = defineResource({
 *   group: "cache.example.com", version: "v1alpha1", kind: "Memcached",
 *   spec: z.object({ size: z.int().min(1).max(9).default(1).describe("How many memcached pods to run.") }),
 *   status: z.object({ nodes: z.array(z.string()) }),
 *   conditions: ["Available"],
 *   columns: [{ name: "Size", path: ".spec.size" }],
 * });
 * export interface Memcached extends ReadOf<typeof Memcached> {}
 * ```
 *
 * Guarantees: throws InvalidResource, with the field's path and what to write instead, for a shape an API server
 * would refuse or not enforce; `spec` is there in every object that is read; `status` never has required fields.
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
  definition: Definition<G, V, K, S, T, C, Sc>,
): Resource<`${G}/${V}/${K}`, DeepReadonly<z.output<S>>, DeepReadonly<z.input<S>>, DeepReadonly<z.output<T>>, C, Sc> {
  const { spec, status, labels, annotations, scope = "Namespaced", conditions = [], description, rules } = definition;
  return named(definition.kind, () =>
    resource({
      names: names(definition),
      scope,
      labels,
      annotations,
      conditions,
      hub: definition.version,
      stored: definition.version,
      versions: [{ crd: version(definition.version, { spec, status, conditions, description, rules }, definition) }],
    }),
  );
}

/** The value behind the types; each chained version makes a new one. */
function resource(model: Model): any {
  const { names, conditions } = model;
  const [hub, ...others] = model.versions.map(({ crd }) => kindOf(model, crd));
  const at = Object.fromEntries(others.map((other) => [other.version, Object.freeze(other)]));
  const more = {
    conditions,
    crdFileName: `${names.group}_${names.plural}.yaml`,
    at,
    crd: (options: { conversion?: WebhookClient } = {}) => crd(model, options.conversion),
    convert: (object: JsonObject, to: string) => convert(model, object, to),
    older: (older: Older<string, z.ZodObject, z.ZodObject, any, any, any>) =>
      named(names.kind, () => {
        const { spec, status, description, rules, toHub, fromHub } = older;
        for (const [name, way] of Object.entries({ toHub, fromHub }))
          if (typeof way !== "function")
            throw new InvalidResource(name, `no way between ${older.version} and ${model.hub}`, "write the function that converts");
        return resource(
          chained(model, older, {
            crd: version(older.version, { spec, status, conditions, description, rules }, older),
            convert: { toHub, fromHub },
          }),
        );
      }),
    unchangedIn: (other: Unchanged<string>) =>
      named(names.kind, () => {
        const { deprecated: _, deprecationWarning: __, ...same } = model.versions[0]!.crd;
        return resource(chained(model, other, { crd: { ...same, ...standing(other.version, other) } }));
      }),
  };
  return Object.freeze(Object.defineProperties(hub!, Object.getOwnPropertyDescriptors(more)));
}

function kindOf({ names, scope }: Model, crd: Version["crd"]) {
  return kind(`${names.group}/${crd.name}/${names.kind}`, names.plural, scope, {
    subresources: Object.keys(crd.subresources ?? {}),
    shape: () => resourceShape(schemaOf(crd) as JsonObject),
  });
}

function chained(model: Model, { version: name, stored }: Unchanged<string>, next: Version): Model {
  if (model.versions.some(({ crd }) => crd.name === name))
    throw new InvalidResource("version", `${name} is there twice`, "chain each version once");
  if (stored && model.stored !== model.hub) {
    throw new InvalidResource("stored", `both ${model.stored} and ${name} are stored`, "objects are stored in one version");
  }
  return { ...model, stored: stored ? name : model.stored, versions: [...model.versions, next] };
}

/** A refusal says whose field it is about. */
function named<T>(kind: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof InvalidResource ? error.of(kind) : error;
  }
}
