import { auditRule, type Place } from "./audit-rule.ts";
import type { StructuralSchema } from "./custom-resource-definition.ts";
import { InvalidResource } from "./invalid-resource.ts";

/** What concerns several keywords at once: list keys, sets, and where rules may look. */
export function audit(schema: StructuralSchema, at: Place = { path: "", correlatable: true }): void {
  listKeys(schema, at.path);
  listSet(schema, at.path);
  embedded(schema, at.path);
  for (const rule of schema["x-kubernetes-validations"] ?? []) auditRule(rule, schema, at);
  const inner = (name: string): Place => ({ ...at, path: at.path === "" ? name : `${at.path}.${name}` });
  for (const [name, field] of Object.entries(schema.properties ?? {})) audit(field, inner(name));
  if (schema.additionalProperties) audit(schema.additionalProperties, { ...at, path: `${at.path}[*]` });
  if (schema.items) {
    const keyed = schema["x-kubernetes-list-type"] === "map";
    audit(schema.items, { path: `${at.path}[]`, correlatable: at.correlatable && keyed });
  }
}

function listKeys({ items, ...schema }: StructuralSchema, path: string): void {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length > 0 && items?.nullable) throw new InvalidResource(`${path}[]`, "null in a keyed list", "leave .nullable() out");
  keys.forEach((key, i) => {
    if (keys.indexOf(key) < i) throw new InvalidResource(path, `the key ${key} is there twice`, "name it once");
    const field = items?.properties?.[key];
    const scalar = field?.["x-kubernetes-int-or-string"] || ["string", "integer", "number", "boolean"].includes(field?.type ?? "");
    const always = field?.default !== undefined || items?.required?.includes(key);
    if (scalar && always && !field?.nullable) return;
    throw new InvalidResource(
      `${path}[].${key}`,
      "a list key that may be absent, or is no scalar",
      "make it required, or give it a default",
    );
  });
}

function listSet({ items, ...schema }: StructuralSchema, path: string): void {
  if (schema["x-kubernetes-list-type"] !== "set" || items === undefined) return;
  if (items.nullable) throw new InvalidResource(`${path}[]`, "null in a set", "leave .nullable() out");
  const merging = items.type === "object" && items["x-kubernetes-map-type"] !== "atomic";
  if (merging || items["x-kubernetes-list-type"] === "set" || items["x-kubernetes-list-type"] === "map") {
    throw new InvalidResource(`${path}[]`, "a set of values that merge", "write listMap(item, key), or listSet(atomic(item))");
  }
}

function embedded(schema: StructuralSchema, path: string): void {
  if (!schema["x-kubernetes-embedded-resource"] || schema["x-kubernetes-preserve-unknown-fields"] || schema.properties) return;
  throw new InvalidResource(path, "an embedded object of which nothing is kept", "give the embedded object fields, or write embedded()");
}
