import { isObject, type Json, type JsonObject } from "../kinds/index.ts";
import { canonical } from "../merge/index.ts";
import { seeded } from "../queue/index.ts";
import type { AnyResource, StructuralSchema } from "../resource/index.ts";
import { defaults } from "./defaults.ts";
import { exampleOf } from "./example-of.ts";

export interface RoundTripOptions {
  /** How many objects of each version are tried. Default: 50. */
  readonly examples?: number | undefined;
  /** Which ones. Default: the same every time. */
  readonly seed?: number | undefined;
  /** Values for fields that no example is known for, by path: `{ "spec.image": "memcached:1.6" }`. */
  readonly values?: Readonly<Record<string, Json>> | undefined;
  /** Fields that are known to get lost where an older version has no place for them: "v1 spec.tier". */
  readonly losing?: readonly string[] | undefined;
}

/** Something that a conversion does not bring back. */
export interface Loss {
  /** "v3 -> v1 -> v3" */
  readonly way: string;
  /** "spec.tier", or the message of a conversion that threw. */
  readonly what: string;
  readonly before: JsonObject;
  readonly after: JsonObject | undefined;
}

/**
 * Tries conversions on objects made from the schemas: from every version to every other one and back. What does not come back
 * as it was is a loss, each told once: `expect(roundTrips(Memcached)).toEqual([])`.
 */
export function roundTrips(resource: AnyResource, options: RoundTripOptions = {}): readonly Loss[] {
  const { examples = 50, seed = 1, values, losing = [] } = options;
  const random = seeded(seed);
  const { group, names, versions } = resource.crd().spec;
  const losses = new Map<string, Loss>();
  for (const from of versions) {
    for (let i = 0; i < examples; i++) {
      const schema = from.schema.openAPIV3Schema;
      // As a server shows it: defaults are in. A status that says nothing is none.
      const shown = (object: JsonObject) => withoutEmptyStatus(defaults(schema as JsonObject, object) as JsonObject);
      const before = shown(objectOf(schema, `${group}/${from.name}`, names.kind));
      for (const to of versions) if (to.name !== from.name) attempt(before, from.name, to.name, shown);
    }
  }
  return [...losses.values()];

  function objectOf(schema: StructuralSchema, apiVersion: string, kind: string): JsonObject {
    const part = (name: string) => exampleOf(schema.properties?.[name] ?? { type: "object" }, name, { random, values });
    const status = schema.properties?.["status"] === undefined || random() < 0.3 ? {} : { status: part("status") };
    return { apiVersion, kind, metadata: { name: "example" }, spec: part("spec"), ...status };
  }
  function attempt(before: JsonObject, from: string, to: string, shown: (object: JsonObject) => JsonObject): void {
    const way = `${from} -> ${to} -> ${from}`;
    let after: JsonObject | undefined;
    let lost: readonly string[];
    try {
      after = shown(resource.convert(resource.convert(before, to), from));
      lost = differences(before, after, "").filter((field) => !losing.includes(`${to} ${field}`));
    } catch (error) {
      lost = [error instanceof Error ? error.message : String(error)];
    }
    for (const what of lost) {
      const key = `${way} ${what}`;
      if (!losses.has(key)) losses.set(key, { way, what, before, after });
    }
  }
}

function withoutEmptyStatus({ status, ...rest }: JsonObject): JsonObject {
  return isObject(status) && Object.keys(status).length === 0 ? rest : { ...rest, ...(status === undefined ? {} : { status }) };
}

/** Fields that are not the same, without the numbers of list items, so that each is told once. */
function differences(before: Json | undefined, after: Json | undefined, path: string): readonly string[] {
  if (canonical(before ?? null) === canonical(after ?? null)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => differences(before[key], after[key], path === "" ? key : `${path}.${key}`));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, i) => differences(item as Json, after[i] as Json, `${path}[]`));
  return [path];
}
