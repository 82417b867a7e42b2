import type { Json } from "pintle/kinds";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import { printSchema } from "./internal-version.ts";

const listTypes = ["atomic", "set", "map"];

/** Validates x-kubernetes-list-type and its constraints on the list and its items. */
export function validateListType(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const { type = "" } = schema;
  const must = "must be array if x-kubernetes-list-type is specified";
  if (listType !== undefined && type === "") errors.push(fieldError.required(`${path}.type`, must));
  else if (listType !== undefined && type !== "array") errors.push(fieldError.invalid(`${path}.type`, type, must));
  else if (listType === "set") errors.push(...validateSetItems(schema.items, path));
  if (listType !== undefined && !listTypes.includes(listType)) {
    errors.push(fieldError.notSupported(`${path}.x-kubernetes-list-type`, listType, listTypes));
  }
  if (keys.length > 0) {
    const mustMap = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (listType === undefined) errors.push(fieldError.required(`${path}.x-kubernetes-list-type`, mustMap));
    else if (listType !== "map") errors.push(fieldError.invalid(`${path}.x-kubernetes-list-type`, listType, mustMap));
  }
  if (listType === "map") errors.push(...validateMapItems(schema, keys, path));
  return errors;
}

/** Requires atomic items, because the items of a set are compared as a whole. */
function validateSetItems(items: JsonSchema | undefined, path: string): FieldError[] {
  const must = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && listType !== undefined && listType !== "atomic") {
    return [fieldError.invalid(`${path}.items.x-kubernetes-list-type`, listType, must)];
  }
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [fieldError.invalid(`${path}.items.x-kubernetes-map-type`, (listType ?? null) as Json, must)];
  }
  return [];
}

function validateMapItems(schema: JsonSchema, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { items } = schema;
  if (keys.length === 0) {
    errors.push(fieldError.required(`${path}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"));
  }
  if (items === undefined) {
    errors.push(fieldError.required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"));
    return errors;
  }
  if (Array.isArray(items)) {
    errors.push(fieldError.invalid(`${path}.items`, printSchema(items), "must only have a single schema if x-kubernetes-list-type is map"));
    return errors;
  }
  if (items.type !== "object") {
    const must = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(fieldError.invalid(`${path}.items.type`, items.type ?? "", must));
    return errors;
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const property = items.properties?.[key];
    if (property === undefined) {
      errors.push(fieldError.invalid(`${path}.x-kubernetes-list-map-keys`, keys, "entries must all be names of item properties"));
    } else if (property.type === "array" || property.type === "object") {
      const must = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(fieldError.invalid(`${path}.items.properties[${key}].type`, items.type, must));
    }
    if (seen.has(key)) errors.push(fieldError.invalid(`${path}.x-kubernetes-list-map-keys`, keys, "must not contain duplicate entries"));
    seen.add(key);
  }
  return errors;
}

/** Requires that items of sets and maps are not nullable, and that map keys are required or have a default. */
export function validateListMapKeys(schema: JsonSchema, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const { items } = schema;
  if (items === undefined || Array.isArray(items) || (listType !== "set" && listType !== "map")) return [];
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    errors.push(fieldError.forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
  if (listType === "set") return errors;
  for (const key of schema["x-kubernetes-list-map-keys"] ?? []) {
    const property = items.properties?.[key];
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    if (!items.required?.includes(key) && (property.default ?? null) === null) {
      const must = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      errors.push(fieldError.required(`${at}.default`, must));
    }
    if (property.nullable === true) {
      errors.push(fieldError.forbidden(`${at}.nullable`, "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"));
    }
  }
  return errors;
}
