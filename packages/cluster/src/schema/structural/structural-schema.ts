import type { Json } from "pintle/kinds";
import type { JsonSchema } from "../json-schema.ts";

/** A structural schema: the form from which pruning, defaulting and validation are compiled. */
export interface StructuralSchema {
  readonly schema: JsonSchema;
  readonly type: string;
  readonly nullable: boolean;
  readonly default: Json | undefined;
  /** True for the root and for x-kubernetes-embedded-resource, which implicitly have apiVersion, kind and metadata. */
  readonly isResource: boolean;
  readonly preservesUnknownFields: boolean;
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  /** True if additionalProperties is a schema or `true`. */
  readonly allowsAdditionalProperties: boolean;
  readonly additionalProperties: StructuralSchema | undefined;
  readonly items: StructuralSchema | undefined;
}

export function toStructuralSchema(schema: JsonSchema, root = false): StructuralSchema {
  const { properties, additionalProperties: additional, items } = schema;
  return {
    schema,
    type: schema.type ?? "",
    nullable: schema.nullable === true,
    // A literal null counts as no default.
    default: schema.default ?? undefined,
    isResource: root || schema["x-kubernetes-embedded-resource"] === true,
    preservesUnknownFields: schema["x-kubernetes-preserve-unknown-fields"] === true,
    properties: new Map(Object.entries(properties ?? {}).map(([name, property]) => [name, toStructuralSchema(property)])),
    allowsAdditionalProperties: additional !== undefined,
    additionalProperties: typeof additional === "object" ? toStructuralSchema(additional) : undefined,
    items: items === undefined ? undefined : toStructuralSchema(items),
  };
}

/** Returns the schema of a field: its property schema, or additionalProperties. */
export function findFieldSchema(node: StructuralSchema, name: string): StructuralSchema | undefined {
  return node.properties.get(name) ?? node.additionalProperties;
}

/** Returns whether the predicate holds for any node of the structural schema (not inside allOf, anyOf, oneOf, not). */
export function someNode(node: StructuralSchema, predicate: (node: StructuralSchema) => boolean): boolean {
  if (predicate(node)) return true;
  if (node.items !== undefined && someNode(node.items, predicate)) return true;
  if (node.additionalProperties !== undefined && someNode(node.additionalProperties, predicate)) return true;
  for (const property of node.properties.values()) if (someNode(property, predicate)) return true;
  return false;
}
