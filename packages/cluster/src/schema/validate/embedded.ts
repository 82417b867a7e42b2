import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { dns1035Problems, type FieldError, fieldError } from "../../status/index.ts";
import { DecodeError, objectMeta } from "../decode/index.ts";
import { type Structural, someNode } from "../structural.ts";
import { embeddedMetadataErrors } from "./embedded-metadata.ts";

export type EmbeddedCheck = (value: Json, path: string, errors: FieldError[]) => void;

/** Compiles the rules for objects inside objects; undefined when the schema has none. `root`: the value itself is one. */
export function embeddedCheck(node: Structural | undefined, root: boolean): EmbeddedCheck | undefined {
  if (node === undefined || !someNode(node, (at) => at.embedded && (at !== node || root))) return undefined;
  const properties = new Map<string, EmbeddedCheck>();
  for (const [name, property] of node.properties) {
    const check = embeddedCheck(property, property.embedded);
    if (check !== undefined) properties.set(name, check);
  }
  const others = embeddedCheck(node.additional, node.additional?.embedded === true);
  const items = embeddedCheck(node.items, node.items?.embedded === true);

  return (value, path, errors) => {
    if (Array.isArray(value)) {
      if (items !== undefined) for (let i = 0; i < value.length; i++) items(value[i]!, `${path}[${i}]`, errors);
    } else if (isObject(value)) {
      if (root) checkResource(value, path, errors);
      for (const key in value) {
        if (node.properties.has(key)) properties.get(key)?.(value[key]!, child(path, key), errors);
        else others?.(value[key]!, `${path}[${key}]`, errors);
      }
    }
  };
}

function checkResource(object: JsonObject, path: string, errors: FieldError[]): void {
  const { apiVersion, kind, metadata } = object;
  if (apiVersion === undefined) errors.push(fieldError.required(child(path, "apiVersion")));
  if (kind === undefined) errors.push(fieldError.required(child(path, "kind")));
  if (apiVersion !== undefined) checkApiVersion(apiVersion, child(path, "apiVersion"), errors);
  if (kind !== undefined) checkKind(kind, child(path, "kind"), errors);
  if (metadata === undefined) return;
  try {
    const stored = objectMeta.decode(metadata, []) ?? {};
    errors.push(...embeddedMetadataErrors(stored as JsonObject, child(path, "metadata")));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    errors.push(fieldError.invalid(child(path, "metadata"), metadata, error.message));
  }
}

function checkApiVersion(value: Json, path: string, errors: FieldError[]): void {
  if (typeof value !== "string") errors.push(fieldError.invalid(path, value, "must be a string"));
  else if (value === "") errors.push(fieldError.invalid(path, value, "must not be empty"));
  else if (value.split("/").length > 2) errors.push(fieldError.invalid(path, value, `unexpected GroupVersion string: ${value}`));
}

function checkKind(value: Json, path: string, errors: FieldError[]): void {
  if (typeof value !== "string") {
    errors.push(fieldError.invalid(path, value, "must be a string"));
  } else if (value === "") {
    errors.push(fieldError.invalid(path, value, "must not be empty"));
  } else {
    const problems = dns1035Problems(value.toLowerCase());
    if (problems.length > 0) {
      errors.push(fieldError.invalid(path, value, `may have mixed case, but should otherwise match: ${problems.join(",")}`));
    }
  }
}

function child(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
