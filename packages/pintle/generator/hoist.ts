import { OBJECT_META } from "./object-meta.ts";
import { reference, type Schema } from "./schema.ts";

/**
 * Gives every struct inside a structural schema a name made of its path (MemcachedSpec, MemcachedSpecBackup), so that
 * custom kinds take the same way to types and shapes as built-in ones. Returns the root's name.
 */
export function hoist(root: Schema, name: string, taken: Iterable<string>, into: Record<string, Schema>): string {
  const names = new Set(taken);
  return struct(root, name);

  function struct(schema: Schema, wanted: string): string {
    const called = unique(wanted);
    into[called] = {};
    const properties = Object.entries({ ...schema.properties, ...(schema["x-kubernetes-embedded-resource"] === true ? EMBEDDED : {}) });
    into[called] = {
      ...schema,
      // What has a default need not be written, also where it is required.
      required: (schema.required ?? []).filter((field) => schema.properties?.[field]?.default === undefined),
      properties: Object.fromEntries(properties.map(([field, property]) => [field, value(property, wanted + pascal(field))])),
    };
    return called;
  }

  function value(schema: Schema, path: string): Schema {
    if (schema.items !== undefined) return { ...schema, items: value(schema.items, path) };
    if (typeof schema.additionalProperties === "object")
      return { ...schema, additionalProperties: value(schema.additionalProperties, path) };
    if (schema.properties === undefined && schema["x-kubernetes-embedded-resource"] !== true) return schema;
    const { nullable, default: preset } = schema;
    return {
      allOf: [{ $ref: reference(struct(schema, path)) }],
      ...(nullable === undefined ? {} : { nullable }),
      ...(preset === undefined ? {} : { default: preset }),
    };
  }

  function unique(wanted: string): string {
    let name = wanted;
    for (let i = 2; names.has(name); i++) name = `${wanted}${i}`;
    names.add(name);
    return name;
  }
}

const EMBEDDED: Readonly<Record<string, Schema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { $ref: reference(OBJECT_META) },
};

function pascal(field: string): string {
  return field
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
}
