import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, mapOf, STRING, struct, TIMESTAMP, type Type } from "../cel/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import { escapePropertyName, isReservedWord } from "./property-names.ts";

/** The CEL type of a value and its size limits. */
export interface DeclaredType {
  readonly type: Type;
  /** Maximum number of characters, items or entries; 0 for values without a size. */
  readonly maxElements: number;
  /** Minimum size of the value as JSON, in bytes. */
  readonly minSize: number;
  readonly items?: DeclaredType | undefined;
  readonly key?: DeclaredType | undefined;
  readonly fields?: ReadonlyMap<string, DeclaredType> | undefined;
}

export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

const createScalarType = (type: Type, minSize: number, maxElements = 0): DeclaredType => ({ type, minSize, maxElements });
const stringKeyType = createScalarType(STRING, 2);

/**
 * Converts a schema to its CEL type; returns undefined for schemas without a type, which rules cannot access. `name`
 * identifies struct types.
 */
export function toDeclaredType(schema: JsonSchema, isRoot: boolean, name = "selfType"): DeclaredType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) {
    return createScalarType(DYN, 1, schema.maxLength === undefined ? MAX_REQUEST_BYTES - 2 : getMaxStringBytes(schema.maxLength));
  }
  const at = isRoot ? withTypeAndObjectMeta(schema) : schema;
  switch (at.type) {
    case "array":
      return toListType(at, name);
    case "object":
      return typeof at.additionalProperties === "object" ? toMapType(at, at.additionalProperties, name) : toObjectType(at, name);
    case "string":
      return toStringType(at);
    case "boolean":
      return createScalarType(BOOL, 4);
    case "number":
      return createScalarType(DOUBLE, 1);
    case "integer":
      return createScalarType(INT, 1);
    default:
      return undefined;
  }
}

/** Adds apiVersion, kind, metadata.name and metadata.generateName, which rules can access in every resource. */
export function withTypeAndObjectMeta(schema: JsonSchema): JsonSchema {
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

function toListType(schema: JsonSchema, name: string): DeclaredType | undefined {
  if (schema.items === undefined) return undefined;
  const items = toDeclaredType(schema.items, isEmbedded(schema.items), `${name}.@idx`);
  if (items === undefined) return undefined;
  const maxElements =
    schema.maxItems === undefined ? Math.floor((MAX_REQUEST_BYTES - 2) / (items.minSize + 1)) : Math.max(0, schema.maxItems);
  return { type: listOf(items.type), items, maxElements, minSize: 2 };
}

function toMapType(schema: JsonSchema, values: JsonSchema, name: string): DeclaredType | undefined {
  const items = toDeclaredType(values, isEmbedded(values), `${name}.@elem`);
  if (items === undefined) return undefined;
  const { maxProperties } = schema;
  const maxElements = maxProperties === undefined ? Math.floor((MAX_REQUEST_BYTES - 2) / (items.minSize + 6)) : Math.max(0, maxProperties);
  return { type: mapOf(STRING, items.type), key: stringKeyType, items, maxElements, minSize: 2 };
}

function toObjectType(schema: JsonSchema, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  const required = new Set(schema.required);
  let minSize = 2;
  for (const [property, of] of Object.entries(schema.properties ?? {})) {
    const escaped = escapePropertyName(property);
    const field = toDeclaredType(of, isEmbedded(of), `${name}.${escaped ?? property}`);
    if (field === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.has(property) && (of.default ?? null) === null) minSize += Buffer.byteLength(property) + field.minSize + 4;
  }
  // The grammar allows reserved words as field names, so they need no escaping there: `self.namespace`.
  const findField = (field: string) => fields.get(field) ?? (isReservedWord(field) ? fields.get(`__${field}__`) : undefined);
  return { type: struct(name, (field) => findField(field)?.type), fields, maxElements: 0, minSize };
}

function toStringType(schema: JsonSchema): DeclaredType {
  const { maxLength, enum: values = [] } = schema;
  switch (schema.format) {
    case "byte":
      return createScalarType(BYTES, 2, maxLength === undefined ? MAX_REQUEST_BYTES - 2 : Math.max(0, maxLength));
    case "duration":
      return createScalarType(DURATION, 3, 32);
    case "date":
      return createScalarType(TIMESTAMP, 12, 12);
    case "date-time":
      return createScalarType(TIMESTAMP, 21, 32);
  }
  if (maxLength !== undefined) return createScalarType(STRING, 2, getMaxStringBytes(maxLength));
  const longest = Math.max(0, ...values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0)));
  return createScalarType(STRING, 2, values.length > 0 ? longest : MAX_REQUEST_BYTES - 2);
}

/** Returns the size limit in bytes; a character may take four. */
function getMaxStringBytes(maxLength: number): number {
  return Math.max(0, maxLength) * 4;
}
