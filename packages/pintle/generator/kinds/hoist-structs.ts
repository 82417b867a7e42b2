import { definitionRef, type OpenApiSchema } from "../schema.ts";
import { OBJECT_META } from "./object-meta.ts";

/**
 * Moves every struct inside a structural schema into `into`, named after its path (MemcachedSpec, MemcachedSpecBackup), so that types and
 * shapes of custom kinds are rendered like those of built-in ones. Returns the name of the root.
 */
export function hoistStructs(root: OpenApiSchema, name: string, taken: Iterable<string>, into: Record<string, OpenApiSchema>): string {
  const names = new Set(taken);
  return struct(root, name);

  function struct(schema: OpenApiSchema, preferred: string): string {
    const assigned = unique(preferred);
    into[assigned] = {};
    const properties = Object.entries({ ...schema.properties, ...(schema["x-kubernetes-embedded-resource"] === true ? EMBEDDED : {}) });
    into[assigned] = {
      ...schema,
      // A required field with a default may be omitted on write.
      required: (schema.required ?? []).filter((field) => schema.properties?.[field]?.default === undefined),
      properties: Object.fromEntries(properties.map(([field, property]) => [field, value(property, preferred + pascalCase(field))])),
    };
    return assigned;
  }

  function value(schema: OpenApiSchema, path: string): OpenApiSchema {
    if (schema.items !== undefined) return { ...schema, items: value(schema.items, path) };
    if (typeof schema.additionalProperties === "object")
      return { ...schema, additionalProperties: value(schema.additionalProperties, path) };
    if (schema.properties === undefined && schema["x-kubernetes-embedded-resource"] !== true) return schema;
    const { nullable, default: preset } = schema;
    return {
      allOf: [{ $ref: definitionRef(struct(schema, path)) }],
      ...(nullable === undefined ? {} : { nullable }),
      ...(preset === undefined ? {} : { default: preset }),
    };
  }

  function unique(preferred: string): string {
    let name = preferred;
    for (let i = 2; names.has(name); i++) name = `${preferred}${i}`;
    names.add(name);
    return name;
  }
}

const EMBEDDED: Readonly<Record<string, OpenApiSchema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { $ref: definitionRef(OBJECT_META) },
};

function pascalCase(field: string): string {
  return field
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
}
