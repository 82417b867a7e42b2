import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { double, type Field, message } from "./wire.ts";

/**
 * An OpenAPI v2 document as clients written in Go ask for it: protobuf, in the messages of gnostic. Field numbers are
 * those of its openapi_v2 package. Answers of operations are left out: those clients know what they get.
 */
export function documentBytes({ swagger, info, paths, definitions }: JsonObject): Uint8Array {
  const { title, version } = info as JsonObject;
  return message(
    [1, swagger],
    [2, message([1, title], [2, version])],
    [8, message([2, named(paths as JsonObject, pathItem)])],
    [9, message([1, named(definitions as JsonObject, schema)])],
  );
}

function named(entries: JsonObject, encode: (value: JsonObject) => Uint8Array): readonly Uint8Array[] {
  return Object.entries(entries).map(([name, value]) => message([1, name], [2, encode(value as JsonObject)]));
}

const METHODS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };

function pathItem(item: JsonObject): Uint8Array {
  const operations = Object.entries(item).filter(([method]) => METHODS[method] !== undefined);
  return message(...operations.map(([method, of]) => [METHODS[method]!, operation(of as JsonObject)] as const), [
    9,
    parameters(item["parameters"]),
  ]);
}

function operation({ operationId, tags, produces, consumes, parameters: given, ...more }: JsonObject): Uint8Array {
  return message([1, tags], [5, operationId], [6, produces], [7, consumes], [8, parameters(given)], [13, extensions(more)]);
}

/** Where a parameter is, which of its kinds that makes it, and which number its type has there. */
const PLACES: Readonly<Record<string, readonly [place: number, type: number]>> = { header: [1, 5], query: [3, 6], path: [4, 5] };

function parameters(given: Json | undefined): readonly Uint8Array[] {
  return ((given ?? []) as readonly JsonObject[]).map((parameter) => {
    const { name, in: where, required, type, schema: of } = parameter;
    if (where === "body")
      return message([1, message([1, message([2, name], [3, where], [4, required], [5, message([1, schema(of as JsonObject)])])])]);
    const [place, typeNumber] = PLACES[where as string]!;
    return message([1, message([2, message([place, message([1, required], [2, where], [4, name], [typeNumber, type])])])]);
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

function schema(of: JsonObject): Uint8Array {
  const fields = Object.entries(of).flatMap(([key, value]): readonly Field[] => {
    if (SCALARS[key] !== undefined) return [[SCALARS[key], value]];
    return DOUBLES[key] !== undefined ? [[DOUBLES[key], double(Number(value))]] : nested(key, value!);
  });
  return message(...fields, [31, extensions(of)]);
}

function nested(key: string, value: Json): readonly Field[] {
  switch (key) {
    case "enum":
      return [[20, (value as readonly Json[]).map(any)]];
    case "additionalProperties":
      return [[21, message(isObject(value) ? [1, schema(value)] : [2, value])]];
    case "type":
      return [[22, message([1, value])]];
    case "items":
      return [[23, message([1, schema(value as JsonObject)])]];
    case "properties":
      return [[25, message([1, named(value as JsonObject, schema)])]];
    default:
      return [];
  }
}

function extensions(of: JsonObject): readonly Uint8Array[] {
  return Object.entries(of)
    .filter(([key]) => key.startsWith("x-"))
    .map(([key, value]) => message([1, key], [2, any(value!)]));
}

/** Values of any type travel as YAML, which JSON is. */
const any = (value: Json) => message([2, JSON.stringify(value)]);
