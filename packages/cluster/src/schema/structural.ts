import type { Json } from "pintle/kinds";
import type { JsonSchema } from "./json-schema.ts";

/** A schema with its children at hand: what every pass over objects is compiled from. */
export interface Structural {
  readonly schema: JsonSchema;
  readonly type: string;
  readonly nullable: boolean;
  readonly default: Json | undefined;
  /** Keeps apiVersion, kind and metadata without declaring them: the root, or x-kubernetes-embedded-resource. */
  readonly embedded: boolean;
  readonly preserve: boolean;
  readonly properties: ReadonlyMap<string, Structural>;
  /** Other keys are kept, be it by a schema or by `true`. */
  readonly open: boolean;
  readonly additional: Structural | undefined;
  readonly items: Structural | undefined;
}

export function structural(schema: JsonSchema, root = false): Structural {
  const { properties, additionalProperties: additional, items } = schema;
  return {
    schema,
    type: schema.type ?? "",
    nullable: schema.nullable === true,
    // A literal null counts as no default at all.
    default: schema.default ?? undefined,
    embedded: root || schema["x-kubernetes-embedded-resource"] === true,
    preserve: schema["x-kubernetes-preserve-unknown-fields"] === true,
    properties: new Map(Object.entries(properties ?? {}).map(([name, property]) => [name, structural(property)])),
    open: additional !== undefined,
    additional: typeof additional === "object" ? structural(additional) : undefined,
    items: items === undefined ? undefined : structural(items),
  };
}

/** The schema of a field: declared, or of all other keys. */
export function fieldOf(node: Structural, name: string): Structural | undefined {
  return node.properties.get(name) ?? node.additional;
}

/** True if the predicate holds anywhere on the structural spine (not inside allOf, anyOf, oneOf, not). */
export function someNode(node: Structural, predicate: (node: Structural) => boolean): boolean {
  if (predicate(node)) return true;
  if (node.items !== undefined && someNode(node.items, predicate)) return true;
  if (node.additional !== undefined && someNode(node.additional, predicate)) return true;
  for (const property of node.properties.values()) if (someNode(property, predicate)) return true;
  return false;
}
