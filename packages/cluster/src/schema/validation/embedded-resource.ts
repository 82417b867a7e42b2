import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { type FieldError, fieldError, validateDns1035Label } from "../../status/index.ts";
import { DecodeError, objectMetaDecoder } from "../decode/index.ts";
import { type StructuralSchema, someNode } from "../structural/structural-schema.ts";
import { validateEmbeddedMetadata } from "./embedded-metadata.ts";

export type EmbeddedResourceCheck = (value: Json, path: string, errors: FieldError[]) => void;

/**
 * Compiles the validation of embedded resources; returns undefined if the schema has none. `root` says that the value
 * itself is a resource.
 */
export function compileEmbeddedResourceCheck(node: StructuralSchema | undefined, root: boolean): EmbeddedResourceCheck | undefined {
  if (node === undefined || !someNode(node, (at) => at.isResource && (at !== node || root))) return undefined;
  const properties = new Map<string, EmbeddedResourceCheck>();
  for (const [name, property] of node.properties) {
    const check = compileEmbeddedResourceCheck(property, property.isResource);
    if (check !== undefined) properties.set(name, check);
  }
  const others = compileEmbeddedResourceCheck(node.additionalProperties, node.additionalProperties?.isResource === true);
  const items = compileEmbeddedResourceCheck(node.items, node.items?.isResource === true);

  return (value, path, errors) => {
    if (Array.isArray(value)) {
      if (items !== undefined) for (let i = 0; i < value.length; i++) items(value[i]!, `${path}[${i}]`, errors);
    } else if (isJsonObject(value)) {
      if (root) checkResource(value, path, errors);
      for (const key in value) {
        if (node.properties.has(key)) properties.get(key)?.(value[key]!, joinPath(path, key), errors);
        else others?.(value[key]!, `${path}[${key}]`, errors);
      }
    }
  };
}

function checkResource(object: JsonObject, path: string, errors: FieldError[]): void {
  const { apiVersion, kind, metadata } = object;
  if (apiVersion === undefined) errors.push(fieldError.required(joinPath(path, "apiVersion")));
  if (kind === undefined) errors.push(fieldError.required(joinPath(path, "kind")));
  if (apiVersion !== undefined) checkApiVersion(apiVersion, joinPath(path, "apiVersion"), errors);
  if (kind !== undefined) checkKind(kind, joinPath(path, "kind"), errors);
  if (metadata === undefined) return;
  try {
    const stored = objectMetaDecoder.decode(metadata, []) ?? {};
    errors.push(...validateEmbeddedMetadata(stored as JsonObject, joinPath(path, "metadata")));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    errors.push(fieldError.invalid(joinPath(path, "metadata"), metadata, error.message));
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
    const problems = validateDns1035Label(value.toLowerCase());
    if (problems.length > 0) {
      errors.push(fieldError.invalid(path, value, `may have mixed case, but should otherwise match: ${problems.join(",")}`));
    }
  }
}

function joinPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
