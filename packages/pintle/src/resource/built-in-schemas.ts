import type { StructuralSchema } from "./custom-resource-definition.ts";

/** The `properties` of built-in types. Copies of a schema share them, whatever is added beside them. */
const builtInProperties = new WeakSet<object>();

/** Marks a copy as its original is. */
export function copyBuiltInMark(original: object, copy: object): void {
  if (builtInProperties.has(original)) builtInProperties.add(copy);
}

/** Marks the schema of a built-in type, and returns it. */
export function markBuiltIn(schema: StructuralSchema): StructuralSchema {
  if (schema.properties !== undefined) builtInProperties.add(schema.properties);
  return schema;
}

/** Returns whether a schema is that of a built-in type: its constraints are those of Kubernetes, not of the resource. */
export function isBuiltIn({ properties }: { readonly properties?: unknown }): boolean {
  return typeof properties === "object" && properties !== null && builtInProperties.has(properties);
}
