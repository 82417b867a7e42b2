/** A schema as the rows of a form and of its documentation, and problems of values in the schema's words. */
import type { JsonSchema } from "../../protocol.ts";

export interface SchemaField {
  readonly path: readonly string[];
  /** ".spec.size" */
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly level: number;
  /** Whether it has no fields of its own. */
  readonly leaf: boolean;
}

const MAX_LEVEL = 12;

/** Adds name and namespace, which schemas of custom resources leave to the API server. */
export function withMetadata(schema: JsonSchema): JsonSchema {
  const metadata = schema.properties?.["metadata"];
  if (metadata === undefined || metadata.properties !== undefined) return schema;
  const text = { type: "string" };
  return { ...schema, properties: { ...schema.properties, metadata: { ...metadata, properties: { name: text, namespace: text } } } };
}

/** Lists the fields below a schema, parents first. Items of lists are ".ports[]". */
export function listFields(schema: JsonSchema, path: readonly string[] = [], level = 0): readonly SchemaField[] {
  if (level > MAX_LEVEL) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const here = [...path, name];
    const inner = property.items ?? property;
    const below = listFields(inner, property.items === undefined ? here : [...path, `${name}[]`], level + 1);
    const field: SchemaField = {
      path: here,
      name: `.${here.join(".")}`,
      schema: property,
      required: schema.required?.includes(name) === true,
      level,
      leaf: below.length === 0,
    };
    return [field, ...below];
  });
}

/** "integer", "array of string", "string, one of a, b". */
export function formatType(schema: JsonSchema): string {
  if (schema.type === "array") return `array of ${schema.items === undefined ? "any" : formatType(schema.items)}`;
  if (schema["x-kubernetes-int-or-string"] === true) return "integer or string";
  const name = schema.type ?? "any";
  if (schema.type === "object" && typeof schema.additionalProperties === "object")
    return `map of ${formatType(schema.additionalProperties)}`;
  return schema.format === undefined ? name : `${name} (${schema.format})`;
}

/** The limits of a field, in the words of the schema. */
export function formatLimits(schema: JsonSchema): readonly string[] {
  const limits: string[] = [];
  if (schema.enum !== undefined) limits.push(`one of ${schema.enum.map((value) => JSON.stringify(value)).join(", ")}`);
  if (schema.minimum !== undefined) limits.push(`at least ${schema.minimum}`);
  if (schema.maximum !== undefined) limits.push(`at most ${schema.maximum}`);
  if (schema.minLength !== undefined) limits.push(`at least ${schema.minLength} characters`);
  if (schema.maxLength !== undefined) limits.push(`at most ${schema.maxLength} characters`);
  if (schema.pattern !== undefined) limits.push(`matches ${schema.pattern}`);
  for (const { message, rule } of schema["x-kubernetes-validations"] ?? []) limits.push(message ?? rule);
  return limits;
}

/** Returns what the schema says against a value, or undefined. Rules and patterns are left to the server. */
export function checkValue(schema: JsonSchema, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (schema.type === "integer" && !Number.isInteger(value)) return "should be an integer";
  if (schema.type === "number" && typeof value !== "number") return "should be a number";
  if (typeof value === "number") {
    if (schema.minimum !== undefined && value < schema.minimum) return `should be greater than or equal to ${schema.minimum}`;
    if (schema.maximum !== undefined && value > schema.maximum) return `should be less than or equal to ${schema.maximum}`;
  }
  if (typeof value === "string") {
    if (schema.minLength !== undefined && value.length < schema.minLength) return `should be at least ${schema.minLength} chars long`;
    if (schema.maxLength !== undefined && value.length > schema.maxLength) return `may not be more than ${schema.maxLength} bytes`;
  }
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return `supported values: ${schema.enum.map((each) => JSON.stringify(each)).join(", ")}`;
  return undefined;
}

/** Parses what was typed for a field; undefined: nothing was. */
export function parseInput(schema: JsonSchema, text: string): unknown {
  if (text === "") return undefined;
  if (schema.type === "integer" || schema.type === "number") {
    const number = Number(text);
    return Number.isNaN(number) ? text : number;
  }
  if (schema.type === "boolean") return text === "true";
  return text;
}
