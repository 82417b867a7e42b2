import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { fieldError, formatFieldError } from "../../status/index.ts";
import { DecodeError, objectMetaDecoder } from "../decode/index.ts";
import { mapItems, setField } from "./copy-on-write.ts";
import { type StructuralSchema, someNode } from "./structural-schema.ts";

/**
 * Normalizes metadata to its stored form and adds the paths of unknown fields to `unknown`. Throws `DecodeError` if a
 * value has the wrong type.
 */
export type MetadataCoercer = (value: Json, path: string, unknown: string[]) => Json;

/** Normalizes the metadata of the object itself. */
export function coerceMetadata(object: JsonObject, unknown: string[]): JsonObject {
  const { metadata } = object;
  if (metadata === undefined) return object;
  const found: string[] = [];
  const stored = objectMetaDecoder.decode(metadata, found) ?? {};
  for (const path of found) unknown.push(`metadata.${path}`);
  return stored === metadata ? object : setField(object, undefined, "metadata", stored);
}

/** Compiles metadata coercion of embedded resources (x-kubernetes-embedded-resource); returns undefined if there are none. */
export function compileMetadataCoercer(node: StructuralSchema | undefined, root = false): MetadataCoercer | undefined {
  if (node === undefined || !someNode(node, (at) => at.isResource && (at !== node || !root))) return undefined;
  const embedded = node.isResource && !root;
  const properties = new Map<string, MetadataCoercer>();
  for (const [name, property] of node.properties) {
    const coerce = compileMetadataCoercer(property);
    if (coerce !== undefined) properties.set(name, coerce);
  }
  const others = compileMetadataCoercer(node.additionalProperties);
  const items = compileMetadataCoercer(node.items);

  return (value, path, unknown) => {
    if (Array.isArray(value)) {
      return items === undefined ? value : mapItems(value, (item, i) => items(item, `${path}[${i}]`, unknown));
    }
    if (!isJsonObject(value)) return value;
    let copy: ReturnType<typeof setField> | undefined;
    for (const key in value) {
      const old = value[key]!;
      const declared = node.properties.has(key);
      const here = declared || embedded ? joinPath(path, key) : `${path}[${key}]`;
      let next = embedded ? coerceTypeOrObjectMeta(key, old, here, unknown) : old;
      next = (declared ? properties.get(key) : others)?.(next, here, unknown) ?? next;
      if (next !== old) copy = setField(value, copy, key, next);
    }
    return (copy as Json | undefined) ?? value;
  };
}

function coerceTypeOrObjectMeta(key: string, value: Json, path: string, unknown: string[]): Json {
  if ((key === "apiVersion" || key === "kind") && typeof value !== "string") {
    throw new DecodeError(formatFieldError(fieldError.invalid(path, value, "must be a string")));
  }
  if (key !== "metadata") return value;
  const found: string[] = [];
  try {
    return objectMetaDecoder.decode(value, found) ?? {};
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(formatFieldError(fieldError.invalid(path, value, error.message)));
  } finally {
    for (const one of found) unknown.push(`${path}.${one}`);
  }
}

function joinPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
