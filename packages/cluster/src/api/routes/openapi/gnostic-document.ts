import { isJsonObject, stringifyJson } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { encodeVarint } from "../../../codec/index.ts";
import { mapInTurns, type Turns } from "../../../turns/index.ts";

/**
 * Encodes an OpenAPI v2 document as the protobuf messages of gnostic, which Go clients request. Field numbers are those of
 * its openapi_v2 package. Responses of operations are left out: those clients do not read them. Encoded in turns: the document has megabytes.
 */
export async function encodeGnosticDocument({ swagger, info, paths, definitions }: JsonObject, turns: Turns): Promise<Uint8Array> {
  const { title, version } = info as JsonObject;
  const encodeAll = (entries: JsonObject, encode: (value: JsonObject) => Uint8Array) =>
    mapInTurns(Object.entries(entries), ([name, value]) => encodeNamedEntry(name, value as JsonObject, encode), turns);
  const encodedPaths = await encodeAll(paths as JsonObject, encodePathItem);
  const encodedDefinitions = await encodeAll(definitions as JsonObject, encodeSchema);
  return encodeMessage(
    [1, swagger],
    [2, encodeMessage([1, title], [2, version])],
    [8, encodeMessage([2, encodedPaths])],
    [9, encodeMessage([1, encodedDefinitions])],
  );
}

function encodeNamed(entries: JsonObject, encode: (value: JsonObject) => Uint8Array): readonly Uint8Array[] {
  return Object.entries(entries).map(([name, value]) => encodeNamedEntry(name, value as JsonObject, encode));
}

function encodeNamedEntry(name: string, value: JsonObject, encode: (value: JsonObject) => Uint8Array): Uint8Array {
  return encodeMessage([1, name], [2, encode(value)]);
}

const METHODS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };

function encodePathItem(item: JsonObject): Uint8Array {
  const operations = Object.entries(item).filter(([method]) => METHODS[method] !== undefined);
  return encodeMessage(...operations.map(([method, of]) => [METHODS[method]!, encodeOperation(of as JsonObject)] as const), [
    9,
    encodeParameters(item["parameters"]),
  ]);
}

function encodeOperation({ operationId, tags, produces, consumes, parameters: given, ...more }: JsonObject): Uint8Array {
  return encodeMessage(
    [1, tags],
    [5, operationId],
    [6, produces],
    [7, consumes],
    [8, encodeParameters(given)],
    [13, encodeExtensions(more)],
  );
}

/** By location of a parameter: the field of its message, and the field of its type. */
const PARAMETER_FIELDS: Readonly<Record<string, readonly [place: number, type: number]>> = { header: [1, 5], query: [3, 6], path: [4, 5] };

function encodeParameters(given: Json | undefined): readonly Uint8Array[] {
  return ((given ?? []) as readonly JsonObject[]).map((parameter) => {
    const { name, in: where, required, type, schema: of } = parameter;
    if (where === "body")
      return encodeMessage([
        1,
        encodeMessage([1, encodeMessage([2, name], [3, where], [4, required], [5, encodeMessage([1, encodeSchema(of as JsonObject)])])]),
      ]);
    const [place, typeNumber] = PARAMETER_FIELDS[where as string]!;
    return encodeMessage([
      1,
      encodeMessage([2, encodeMessage([place, encodeMessage([1, required], [2, where], [4, name], [typeNumber, type])])]),
    ]);
  });
}

const SCALARS: Readonly<Record<string, number>> = {
  $ref: 1,
  format: 2,
  title: 3,
  description: 4,
  exclusiveMaximum: 8,
  exclusiveMinimum: 10,
  maxLength: 11,
  minLength: 12,
  pattern: 13,
  maxItems: 14,
  minItems: 15,
  uniqueItems: 16,
  maxProperties: 17,
  minProperties: 18,
  required: 19,
};
const DOUBLES: Readonly<Record<string, number>> = { multipleOf: 6, maximum: 7, minimum: 9 };

function encodeSchema(of: JsonObject): Uint8Array {
  const fields = Object.entries(of).flatMap(([key, value]): readonly ProtobufField[] => {
    if (SCALARS[key] !== undefined) return [[SCALARS[key], value]];
    return DOUBLES[key] !== undefined ? [[DOUBLES[key], encodeDouble(Number(value))]] : encodeNestedField(key, value!);
  });
  return encodeMessage(...fields, [31, encodeExtensions(of)]);
}

function encodeNestedField(key: string, value: Json): readonly ProtobufField[] {
  switch (key) {
    case "enum":
      return [[20, (value as readonly Json[]).map(encodeAny)]];
    case "additionalProperties":
      return [[21, encodeMessage(isJsonObject(value) ? [1, encodeSchema(value)] : [2, value])]];
    case "type":
      return [[22, encodeMessage([1, value])]];
    case "items":
      return [[23, encodeMessage([1, encodeSchema(value as JsonObject)])]];
    case "properties":
      return [[25, encodeMessage([1, encodeNamed(value as JsonObject, encodeSchema)])]];
    default:
      return [];
  }
}

function encodeExtensions(of: JsonObject): readonly Uint8Array[] {
  return Object.entries(of)
    .filter(([key]) => key.startsWith("x-"))
    .map(([key, value]) => encodeMessage([1, key], [2, encodeAny(value!)]));
}

/** Encodes a value of any type as YAML, of which JSON is a subset. */
const encodeAny = (value: Json) => encodeMessage([2, stringifyJson(value)]);

/** A field of a protobuf message: a list is a repeated field, bytes are a message, undefined and false are not written. */
type ProtobufField = readonly [number: number, value: ProtobufValue | readonly ProtobufValue[]];
type ProtobufValue = Json | Uint8Array | undefined;

function encodeMessage(...fields: readonly ProtobufField[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      const values = (Array.isArray(value) ? value : [value]) as readonly ProtobufValue[];
      return values.flatMap((each) => encodeField(number, each));
    }),
  );
}

function encodeField(number: number, value: ProtobufValue): readonly Uint8Array[] {
  if (value === undefined || value === false) return [];
  if (value instanceof Double) return [encodeVarint((number << 3) | 1), value];
  if (value === true) return [encodeVarint(number << 3), encodeVarint(1)];
  if (typeof value === "number" || typeof value === "bigint") return [encodeVarint(number << 3), encodeVarint(value)];
  const bytes = typeof value === "string" ? Buffer.from(value) : (value as Uint8Array);
  return [encodeVarint((number << 3) | 2), encodeVarint(bytes.length), bytes];
}

/** Eight bytes of a number, not a message. */
class Double extends Uint8Array {}

function encodeDouble(value: number): Uint8Array {
  const bytes = new Double(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return bytes;
}
