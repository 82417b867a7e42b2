import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, mapOf, STRING, struct, TIMESTAMP, type Type } from "../cel/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import { escapeName } from "./escape.ts";

/** What rules know about a part of an object: its type, and how big it may get. */
export interface DeclaredType {
  readonly type: Type;
  /** Characters, items or entries at most; 0 for what has no size. */
  readonly maxElements: number;
  /** The least it takes as JSON, in bytes. */
  readonly minSize: number;
  readonly items?: DeclaredType | undefined;
  readonly key?: DeclaredType | undefined;
  readonly fields?: ReadonlyMap<string, DeclaredType> | undefined;
}

export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

const simple = (type: Type, minSize: number, maxElements = 0): DeclaredType => ({ type, minSize, maxElements });
const textKey = simple(STRING, 2);

/** Undefined for what rules cannot see: anything without a type. `name` tells structs apart. */
export function declaredType(schema: JsonSchema, isRoot: boolean, name = "selfType"): DeclaredType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) {
    return simple(DYN, 1, schema.maxLength === undefined ? MAX_REQUEST_BYTES - 2 : textLimit(schema.maxLength));
  }
  const at = isRoot ? withObjectMeta(schema) : schema;
  switch (at.type) {
    case "array":
      return listType(at, name);
    case "object":
      return typeof at.additionalProperties === "object" ? mapType(at, at.additionalProperties, name) : objectType(at, name);
    case "string":
      return stringType(at);
    case "boolean":
      return simple(BOOL, 4);
    case "number":
      return simple(DOUBLE, 1);
    case "integer":
      return simple(INT, 1);
    default:
      return undefined;
  }
}

/** apiVersion, kind and the name are there in every resource, whatever its schema says. */
export function withObjectMeta(schema: JsonSchema): JsonSchema {
  const { properties = {} } = schema;
  const metadata = properties["metadata"];
  const isText = (one: JsonSchema | undefined) => one?.type === "string";
  const complete =
    isText(properties["kind"]) &&
    isText(properties["apiVersion"]) &&
    metadata?.type === "object" &&
    isText(metadata.properties?.["name"]) &&
    isText(metadata.properties?.["generateName"]);
  if (complete) return schema;
  const text = { type: "string" };
  const names = { type: "object", properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...properties, kind: text, apiVersion: text, metadata: names } };
}

function isEmbedded(schema: JsonSchema): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

function listType(schema: JsonSchema, name: string): DeclaredType | undefined {
  if (schema.items === undefined) return undefined;
  const items = declaredType(schema.items, isEmbedded(schema.items), `${name}.@idx`);
  if (items === undefined) return undefined;
  const maxElements =
    schema.maxItems === undefined ? Math.floor((MAX_REQUEST_BYTES - 2) / (items.minSize + 1)) : Math.max(0, schema.maxItems);
  return { type: listOf(items.type), items, maxElements, minSize: 2 };
}

function mapType(schema: JsonSchema, values: JsonSchema, name: string): DeclaredType | undefined {
  const items = declaredType(values, isEmbedded(values), `${name}.@elem`);
  if (items === undefined) return undefined;
  const { maxProperties } = schema;
  const maxElements = maxProperties === undefined ? Math.floor((MAX_REQUEST_BYTES - 2) / (items.minSize + 6)) : Math.max(0, maxProperties);
  return { type: mapOf(STRING, items.type), key: textKey, items, maxElements, minSize: 2 };
}

function objectType(schema: JsonSchema, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  const required = new Set(schema.required);
  let minSize = 2;
  for (const [property, of] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(property);
    const field = declaredType(of, isEmbedded(of), `${name}.${escaped ?? property}`);
    if (field === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.has(property) && (of.default ?? null) === null) minSize += Buffer.byteLength(property) + field.minSize + 4;
  }
  return { type: struct(name, (field) => fields.get(field)?.type), fields, maxElements: 0, minSize };
}

function stringType(schema: JsonSchema): DeclaredType {
  const { maxLength, enum: values = [] } = schema;
  switch (schema.format) {
    case "byte":
      return simple(BYTES, 2, maxLength === undefined ? MAX_REQUEST_BYTES - 2 : Math.max(0, maxLength));
    case "duration":
      return simple(DURATION, 3, 32);
    case "date":
      return simple(TIMESTAMP, 12, 12);
    case "date-time":
      return simple(TIMESTAMP, 21, 32);
  }
  if (maxLength !== undefined) return simple(STRING, 2, textLimit(maxLength));
  const longest = Math.max(0, ...values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0)));
  return simple(STRING, 2, values.length > 0 ? longest : MAX_REQUEST_BYTES - 2);
}

/** A character may take four bytes. */
function textLimit(maxLength: number): number {
  return Math.max(0, maxLength) * 4;
}
