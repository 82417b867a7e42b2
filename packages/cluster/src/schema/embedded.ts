import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { fieldError, fieldErrorText } from "../status/index.ts";
import { DecodeError, objectMeta } from "./decode/index.ts";
import { edit, editItems } from "./edit.ts";
import { type Structural, someNode } from "./structural.ts";

/** Brings metadata into stored form; `unknown` collects what it does not know. A wrong type throws a DecodeError. */
export type Coercer = (value: Json, path: string, unknown: string[]) => Json;

/** The metadata of the object itself. */
export function coerceMetadata(object: JsonObject, unknown: string[]): JsonObject {
  const { metadata } = object;
  if (metadata === undefined) return object;
  const found: string[] = [];
  const stored = objectMeta.decode(metadata, found) ?? {};
  for (const path of found) unknown.push(`metadata.${path}`);
  return stored === metadata ? object : edit(object, undefined, "metadata", stored);
}

/** Compiles the same for objects inside objects (x-kubernetes-embedded-resource); undefined when there are none. */
export function coercer(node: Structural | undefined, root = false): Coercer | undefined {
  if (node === undefined || !someNode(node, (at) => at.embedded && (at !== node || !root))) return undefined;
  const embedded = node.embedded && !root;
  const properties = new Map<string, Coercer>();
  for (const [name, property] of node.properties) {
    const coerce = coercer(property);
    if (coerce !== undefined) properties.set(name, coerce);
  }
  const others = coercer(node.additional);
  const items = coercer(node.items);

  return (value, path, unknown) => {
    if (Array.isArray(value)) {
      return items === undefined ? value : editItems(value, (item, i) => items(item, `${path}[${i}]`, unknown));
    }
    if (!isObject(value)) return value;
    let copy: ReturnType<typeof edit> | undefined;
    for (const key in value) {
      const old = value[key]!;
      const declared = node.properties.has(key);
      const here = declared || embedded ? child(path, key) : `${path}[${key}]`;
      let next = embedded ? coerceTypeOrObjectMeta(key, old, here, unknown) : old;
      next = (declared ? properties.get(key) : others)?.(next, here, unknown) ?? next;
      if (next !== old) copy = edit(value, copy, key, next);
    }
    return (copy as Json | undefined) ?? value;
  };
}

function coerceTypeOrObjectMeta(key: string, value: Json, path: string, unknown: string[]): Json {
  if ((key === "apiVersion" || key === "kind") && typeof value !== "string") {
    throw new DecodeError(fieldErrorText(fieldError.invalid(path, value, "must be a string")));
  }
  if (key !== "metadata") return value;
  const found: string[] = [];
  try {
    return objectMeta.decode(value, found) ?? {};
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(fieldErrorText(fieldError.invalid(path, value, error.message)));
  } finally {
    for (const one of found) unknown.push(`${path}.${one}`);
  }
}

function child(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
