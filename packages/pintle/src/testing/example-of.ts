import { type Json, type JsonObject, setOwn } from "../kinds/index.ts";
import { canonical } from "../merge/index.ts";
import type { Random } from "../queue/index.ts";
import type { StructuralSchema } from "../resource/index.ts";

export interface ExampleOptions {
  readonly random: Random;
  /** Values for fields whose pattern or rules nobody can guess, by path: "spec.image". */
  readonly values?: Readonly<Record<string, Json>> | undefined;
}

/** Nobody knows a value that fits. */
const UNKNOWN: unique symbol = Symbol("unknown");
type Example = Json | typeof UNKNOWN;

/**
 * A value that a schema allows, as far as the schema itself says: types, bounds, enums, defaults. Optional fields are there or
 * not. A pattern is met by the schema's example or default, or by a value given for its path.
 */
export function exampleOf(schema: StructuralSchema, path: string, options: ExampleOptions): Json {
  const value = any(schema, path, options);
  if (value === UNKNOWN) throw unknown(schema, path);
  return value;
}

function unknown({ pattern = "" }: StructuralSchema, path: string): Error {
  return new Error(`no example is known for ${path}, which must match ${pattern}: give one as values: { ${JSON.stringify(path)}: ... }`);
}

function any(schema: StructuralSchema, path: string, options: ExampleOptions): Example {
  const { random, values = {} } = options;
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  if (Object.hasOwn(values, path)) return values[path]!;
  if (schema.enum !== undefined) return pick(schema.enum as readonly Json[]);
  if (schema.example !== undefined && random() < 0.5) return schema.example as Json;
  if (schema.nullable === true && random() < 0.1) return null;
  if (schema["x-kubernetes-int-or-string"] === true) return random() < 0.5 ? whole(schema, random) : "50%";
  switch (schema.type) {
    case "object":
      return objectOf(schema, path, options);
    case "array":
      return listOf(schema, path, options);
    case "string":
      return textOf(schema, random);
    case "boolean":
      return random() < 0.5;
    case "integer":
      return whole(schema, random);
    case "number":
      return whole(schema, random) + (schema.maximum === undefined ? 0.5 : 0);
    default:
      return { any: "thing" };
  }
}

function objectOf(schema: StructuralSchema, path: string, options: ExampleOptions): Example {
  const out: Record<string, Json> = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const isRequired = schema.required?.includes(name) ?? false;
    if (!isRequired && options.random() < 0.3) continue;
    const value = any(field, `${path}.${name}`, options);
    if (value !== UNKNOWN) setOwn(out, name, value);
    else if (isRequired) throw unknown(field, `${path}.${name}`);
  }
  const { additionalProperties } = schema;
  if (additionalProperties) {
    for (const key of ["a", "b"]) {
      const value = any(additionalProperties, `${path}.*`, options);
      if (value !== UNKNOWN) out[key] = value;
    }
  }
  return out;
}

function listOf(schema: StructuralSchema, path: string, options: ExampleOptions): Example {
  const least = schema.minItems ?? 0;
  const length = Math.min(schema.maxItems ?? least + 2, least + Math.floor(options.random() * 3));
  const items: Json[] = [];
  const keys = schema["x-kubernetes-list-map-keys"];
  const mayRepeat = (schema["x-kubernetes-list-type"] ?? "atomic") === "atomic";
  const identity = (item: Json) => canonical(keys === undefined ? item : keys.map((key) => (item as JsonObject)[key] ?? null));
  for (let i = 0; i < length; i++) {
    const item = any(schema.items ?? {}, `${path}[]`, options);
    if (item === UNKNOWN) return least === 0 ? [] : UNKNOWN;
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

function textOf(schema: StructuralSchema, random: Random): Example {
  const { format, pattern, minLength = 0, maxLength } = schema;
  const known = [schema.default, schema.example, format === undefined ? undefined : FORMATS[format]].filter(
    (each) => typeof each === "string",
  );
  const length = Math.min(maxLength ?? minLength + 6, Math.max(minLength, 1 + Math.floor(random() * 6)));
  const made = Array.from({ length }, () => "abcdefghij"[Math.floor(random() * 10)]).join("");
  const candidates = [...known, made, "1", "1Gi", "100m", "1h", "a.example.com", "v1", "1.2.3", "A", "0"] as readonly string[];
  if (pattern === undefined) return (format !== undefined && known.length > 0 ? known[0] : made) as string;
  const test = new RegExp(pattern, "u");
  return (
    candidates.find((each) => test.test(each) && each.length >= minLength && each.length <= (maxLength ?? Number.POSITIVE_INFINITY)) ??
    UNKNOWN
  );
}

function whole({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1 }: StructuralSchema, random: Random): number {
  const low = (minimum ?? Math.min(0, maximum ?? 0)) + (exclusiveMinimum ? multipleOf : 0);
  const high = (maximum ?? low + 1000) - (exclusiveMaximum ? multipleOf : 0);
  const step = Math.ceil(low / multipleOf) + Math.floor(random() * (Math.floor(high / multipleOf) - Math.ceil(low / multipleOf) + 1));
  return step * multipleOf;
}
