import type { Random } from "../clock/index.ts";
import { PintleError } from "../errors/index.ts";
import { setOwnProperty } from "../json/index.ts";
import type { Json, JsonObject } from "../kinds/index.ts";
import { canonicalJson } from "../merge/index.ts";
import type { StructuralSchema } from "../resource/index.ts";

export interface ExampleOptions {
  readonly random: Random;
  /** Values for fields whose pattern the generator cannot satisfy, by path: "spec.image". */
  readonly values?: Readonly<Record<string, Json>> | undefined;
}

/** No valid value was found. */
const NO_EXAMPLE: unique symbol = Symbol("unknown");
type Example = Json | typeof NO_EXAMPLE;

/**
 * Generates a value that is valid for the types, bounds and enums of a schema. Optional fields are present at random. A pattern is satisfied by the
 * schema's example or default, by a common value, or by a value for its path in `values`.
 */
export function generateExample(schema: StructuralSchema, path: string, options: ExampleOptions): Json {
  const value = exampleFor(schema, path, options);
  if (value === NO_EXAMPLE) throw noExampleError(schema, path);
  return value;
}

function noExampleError({ pattern = "" }: StructuralSchema, path: string): Error {
  return new PintleError(
    "PINTLE3203",
    `no example value for ${path}, which must match ${pattern}: pass one as values: { ${JSON.stringify(path)}: ... }`,
  );
}

function exampleFor(schema: StructuralSchema, path: string, options: ExampleOptions): Example {
  const { random, values = {} } = options;
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  if (Object.hasOwn(values, path)) return values[path]!;
  if (schema.enum !== undefined) return pick(schema.enum as readonly Json[]);
  if (schema.example !== undefined && random() < 0.5) return schema.example as Json;
  if (schema.nullable === true && random() < 0.1) return null;
  if (schema["x-kubernetes-int-or-string"] === true) return random() < 0.5 ? exampleInteger(schema, random) : "50%";
  switch (schema.type) {
    case "object":
      return exampleObject(schema, path, options);
    case "array":
      return exampleList(schema, path, options);
    case "string":
      return exampleString(schema, random);
    case "boolean":
      return random() < 0.5;
    case "integer":
      return exampleInteger(schema, random);
    case "number":
      return exampleInteger(schema, random) + (schema.maximum === undefined ? 0.5 : 0);
    default:
      return { any: "thing" };
  }
}

function exampleObject(schema: StructuralSchema, path: string, options: ExampleOptions): Example {
  const out: Record<string, Json> = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const isRequired = schema.required?.includes(name) ?? false;
    if (!isRequired && options.random() < 0.3) continue;
    const value = exampleFor(field, `${path}.${name}`, options);
    if (value !== NO_EXAMPLE) setOwnProperty(out, name, value);
    else if (isRequired) throw noExampleError(field, `${path}.${name}`);
  }
  const { additionalProperties } = schema;
  if (additionalProperties) {
    for (const key of ["a", "b"]) {
      const value = exampleFor(additionalProperties, `${path}.*`, options);
      if (value !== NO_EXAMPLE) out[key] = value;
    }
  }
  return out;
}

function exampleList(schema: StructuralSchema, path: string, options: ExampleOptions): Example {
  const least = schema.minItems ?? 0;
  const length = Math.min(schema.maxItems ?? least + 2, least + Math.floor(options.random() * 3));
  const items: Json[] = [];
  const keys = schema["x-kubernetes-list-map-keys"];
  const mayRepeat = (schema["x-kubernetes-list-type"] ?? "atomic") === "atomic";
  const identity = (item: Json) => canonicalJson(keys === undefined ? item : keys.map((key) => (item as JsonObject)[key] ?? null));
  for (let i = 0; i < length; i++) {
    const item = exampleFor(schema.items ?? {}, `${path}[]`, options);
    if (item === NO_EXAMPLE) return least === 0 ? [] : NO_EXAMPLE;
    if (!mayRepeat && items.some((other) => identity(other) === identity(item))) continue;
    items.push(item);
  }
  return items;
}

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-02T03:04:05Z",
  date: "2026-01-02",
  duration: "1h30m",
  byte: "AAECAw==",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  uri: "https://example.com/a",
  hostname: "host.example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  cidr: "192.0.2.0/24",
  email: "a@example.com",
};

function exampleString(schema: StructuralSchema, random: Random): Example {
  const { format, pattern, minLength = 0, maxLength } = schema;
  const known = [schema.default, schema.example, format === undefined ? undefined : FORMATS[format]].filter(
    (each) => typeof each === "string",
  );
  const length = Math.min(maxLength ?? minLength + 6, Math.max(minLength, 1 + Math.floor(random() * 6)));
  const generated = Array.from({ length }, () => "abcdefghij"[Math.floor(random() * 10)]).join("");
  const candidates = [...known, generated, "1", "1Gi", "100m", "1h", "a.example.com", "v1", "1.2.3", "A", "0"] as readonly string[];
  if (pattern === undefined) return (format !== undefined && known.length > 0 ? known[0] : generated) as string;
  const test = new RegExp(pattern, "u");
  return (
    candidates.find((each) => test.test(each) && each.length >= minLength && each.length <= (maxLength ?? Number.POSITIVE_INFINITY)) ??
    NO_EXAMPLE
  );
}

function exampleInteger(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1 }: StructuralSchema,
  random: Random,
): number {
  const low = (minimum ?? Math.min(0, maximum ?? 0)) + (exclusiveMinimum ? multipleOf : 0);
  const high = (maximum ?? low + 1000) - (exclusiveMaximum ? multipleOf : 0);
  const step = Math.ceil(low / multipleOf) + Math.floor(random() * (Math.floor(high / multipleOf) - Math.ceil(low / multipleOf) + 1));
  return step * multipleOf;
}
