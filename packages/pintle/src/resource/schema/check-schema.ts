import type { StructuralSchema } from "../custom-resource-definition.ts";
import { InvalidResource } from "../invalid-resource.ts";
import { checkCelRule, type SchemaLocation } from "./check-cel-rule.ts";

/** Throws `InvalidResource` for combinations of keywords that the API server rejects: list keys, sets, embedded objects, CEL rules. */
export function checkSchema(schema: StructuralSchema, location: SchemaLocation = { path: "", correlatable: true }): void {
  checkListMapKeys(schema, location.path);
  checkListSetItems(schema, location.path);
  checkEmbeddedResource(schema, location.path);
  for (const rule of schema["x-kubernetes-validations"] ?? []) checkCelRule(rule, schema, location);
  const childLocation = (name: string): SchemaLocation => ({ ...location, path: location.path === "" ? name : `${location.path}.${name}` });
  for (const [name, field] of Object.entries(schema.properties ?? {})) checkSchema(field, childLocation(name));
  if (schema.additionalProperties) checkSchema(schema.additionalProperties, { ...location, path: `${location.path}[*]` });
  if (schema.items) {
    const isListMap = schema["x-kubernetes-list-type"] === "map";
    checkSchema(schema.items, { path: `${location.path}[]`, correlatable: location.correlatable && isListMap });
  }
}

function checkListMapKeys({ items, ...schema }: StructuralSchema, path: string): void {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length > 0 && items?.nullable) throw new InvalidResource(`${path}[]`, "null in a keyed list", "remove .nullable()");
  keys.forEach((key, i) => {
    if (keys.indexOf(key) < i) throw new InvalidResource(path, `the key ${key} is listed twice`, "list it once");
    const field = items?.properties?.[key];
    const scalar = field?.["x-kubernetes-int-or-string"] || ["string", "integer", "number", "boolean"].includes(field?.type ?? "");
    const isAlwaysSet = field?.default !== undefined || items?.required?.includes(key);
    if (scalar && isAlwaysSet && !field?.nullable) return;
    throw new InvalidResource(
      `${path}[].${key}`,
      "a list key that may be absent, or is not a scalar",
      "make it required, or give it a default",
    );
  });
}

function checkListSetItems({ items, ...schema }: StructuralSchema, path: string): void {
  if (schema["x-kubernetes-list-type"] !== "set" || items === undefined) return;
  if (items.nullable) throw new InvalidResource(`${path}[]`, "null in a set", "remove .nullable()");
  const isMergeable = items.type === "object" && items["x-kubernetes-map-type"] !== "atomic";
  if (isMergeable || items["x-kubernetes-list-type"] === "set" || items["x-kubernetes-list-type"] === "map") {
    throw new InvalidResource(`${path}[]`, "a set of mergeable values", "use listMap(item, key), or listSet(atomic(item))");
  }
}

function checkEmbeddedResource(schema: StructuralSchema, path: string): void {
  if (!schema["x-kubernetes-embedded-resource"] || schema["x-kubernetes-preserve-unknown-fields"] || schema.properties) return;
  throw new InvalidResource(path, "an embedded object without fields", "give the embedded object fields, or use embedded()");
}
