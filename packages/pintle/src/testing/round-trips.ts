import { seededRandom } from "../clock/index.ts";
import { PintleError } from "../errors/index.ts";
import { isJsonObject } from "../json/index.ts";
import type { Json, JsonObject } from "../kinds/index.ts";
import { canonicalJson } from "../merge/index.ts";
import type { AnyResource, StructuralSchema } from "../resource/index.ts";
import { applySchemaDefaults } from "./defaults.ts";
import { generateExample } from "./example-value.ts";

/** Options of `checkRoundTrips()`. */
export interface RoundTripOptions {
  /** Number of generated objects per version. Default: 50. */
  readonly examples?: number | undefined;
  /** Seed of the generator. Default: 1, so that every run checks the same objects. */
  readonly seed?: number | undefined;
  /**
   * Values for fields whose pattern the generator cannot satisfy, or that conversions parse, by path, for all versions or for one of them:
   * `{ "spec.image": "memcached:1.6", "v1 spec.schedule": "0 3 * * *" }`. Default: none.
   */
  readonly values?: Readonly<Record<string, Json>> | undefined;
  /** Known losses: fields that an older version does not have, as "v1 spec.tier". Default: none. */
  readonly allowedLosses?: readonly string[] | undefined;
}

/** A field that a conversion and its reverse do not preserve. */
export interface ConversionLoss {
  /** "v3 -> v1 -> v3" */
  readonly conversion: string;
  /** "spec.tier", or the message of a conversion that threw. */
  readonly field: string;
  readonly before: JsonObject;
  readonly after: JsonObject | undefined;
}

/**
 * Converts generated objects from every version of a resource to every other version and back, and returns the fields that are not preserved, each once.
 *
 * @example
 * ```ts
 * import { defineResource, z } from "pintle";
 * import { checkRoundTrips } from "pintle/testing";
 *
 * const Memcached = defineResource({
 *   group: "cache.example.com",
 *   version: "v2",
 *   kind: "Memcached",
 *   spec: z.object({ size: z.int().default(1) }),
 * }).older({
 *   version: "v1",
 *   spec: z.object({ replicas: z.int().default(1) }),
 *   toHub: ({ spec }) => ({ spec: { size: spec.replicas } }),
 *   fromHub: ({ spec }) => ({ spec: { replicas: spec.size } }),
 * });
 *
 * const losses = checkRoundTrips(Memcached);
 * if (losses.length > 0) throw new Error(JSON.stringify(losses));
 * ```
 */
export function checkRoundTrips(resource: AnyResource, options: RoundTripOptions = {}): readonly ConversionLoss[] {
  const { examples = 50, seed = 1, values = {}, allowedLosses = [] } = options;
  const random = seededRandom(seed);
  const { group, names, versions } = resource.crd().spec;
  const losses = new Map<string, ConversionLoss>();
  assertKnownVersions(Object.keys(values), versions, names.kind);
  const valuesOf = (version: string) => valuesOfVersion(values, version);
  for (const from of versions) {
    for (let i = 0; i < examples; i++) {
      const schema = from.schema.openAPIV3Schema;
      // As the API server returns it: with defaults, without an empty status.
      const normalize = (object: JsonObject) => withoutEmptyStatus(applySchemaDefaults(schema as JsonObject, object) as JsonObject);
      const before = normalize(objectOf(schema, `${group}/${from.name}`, names.kind, valuesOf(from.name)));
      for (const to of versions) if (to.name !== from.name) attempt(before, from.name, to.name, normalize);
    }
  }
  return [...losses.values()];

  function objectOf(schema: StructuralSchema, apiVersion: string, kind: string, values: RoundTripOptions["values"]): JsonObject {
    const generatePart = (name: string) => generateExample(schema.properties?.[name] ?? { type: "object" }, name, { random, values });
    const status = schema.properties?.["status"] === undefined || random() < 0.3 ? {} : { status: generatePart("status") };
    return { apiVersion, kind, metadata: { name: "example" }, spec: generatePart("spec"), ...status };
  }
  function attempt(before: JsonObject, from: string, to: string, normalize: (object: JsonObject) => JsonObject): void {
    const conversion = `${from} -> ${to} -> ${from}`;
    let after: JsonObject | undefined;
    let lost: readonly string[];
    try {
      after = normalize(resource.convert(resource.convert(before, to), from));
      lost = findDifferences(before, after, "").filter((field) => !allowedLosses.includes(`${to} ${field}`));
    } catch (error) {
      lost = [error instanceof Error ? error.message : String(error)];
    }
    for (const field of lost) {
      const key = `${conversion} ${field}`;
      if (!losses.has(key)) losses.set(key, { conversion, field, before, after });
    }
  }
}

/** Returns the values by path for one version; "v1 spec.image" takes precedence over "spec.image". */
function valuesOfVersion(values: Readonly<Record<string, Json>>, version: string): Readonly<Record<string, Json>> {
  const entries = Object.entries(values);
  const prefix = `${version} `;
  return Object.fromEntries([
    ...entries.filter(([key]) => !key.includes(" ")),
    ...entries.filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key.slice(prefix.length), value] as const),
  ]);
}

function assertKnownVersions(keys: readonly string[], versions: readonly { readonly name: string }[], kind: string): void {
  const known = versions.map(({ name }) => name);
  const wrong = keys.find((key) => key.includes(" ") && !known.includes(key.slice(0, key.indexOf(" "))));
  if (wrong !== undefined)
    throw new PintleError("PINTLE3204", `values: "${wrong}" names a version that ${kind} does not have; it has ${known.join(", ")}`);
}

function withoutEmptyStatus({ status, ...rest }: JsonObject): JsonObject {
  return isJsonObject(status) && Object.keys(status).length === 0 ? rest : { ...rest, ...(status === undefined ? {} : { status }) };
}

/** Returns the paths of fields that differ, without list indexes, so that each is reported once. */
function findDifferences(before: Json | undefined, after: Json | undefined, path: string): readonly string[] {
  if (canonicalJson(before ?? null) === canonicalJson(after ?? null)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => findDifferences(before[key], after[key], path === "" ? key : `${path}.${key}`));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, i) => findDifferences(item as Json, after[i] as Json, `${path}[]`));
  return [path];
}
