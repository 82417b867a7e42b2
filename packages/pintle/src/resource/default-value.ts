import type * as z from "zod";
import { isObject, type Json } from "../kinds/index.ts";
import type { StructuralSchema } from "./custom-resource-definition.ts";
import { takes } from "./formats.ts";
import { InvalidResource, notStructural } from "./invalid-resource.ts";
import type { Node } from "./node.ts";

/** A default the server takes: plain JSON, the same every time, valid, and without fields the schema does not know. */
export function defaultValue({ def, path }: Node<z.core.$ZodDefaultDef | z.core.$ZodPrefaultDef>, schema: StructuralSchema): Json {
  const text = JSON.stringify(def.defaultValue);
  if (text === undefined) throw notStructural(path, "a default that is not JSON", "write a plain value");
  if (text !== JSON.stringify(def.defaultValue)) {
    throw notStructural(path, "a default that changes", "a schema has one default for ever: write a plain value, or set it in reconcile");
  }
  const value = JSON.parse(text) as Json;
  if (value === null) throw notStructural(path, "a default of null", "write .nullable().optional(): absent says the same");
  const parsed = (def.innerType as z.ZodType).safeParse(value);
  const wrong = parsed.success ? misformed(schema, value) : complaint(parsed.error);
  if (wrong !== undefined)
    throw new InvalidResource(path, `the default ${text} is not valid: ${wrong}`, "give one that its own schema takes");
  if (!keeps(parsed.data, value)) throw new InvalidResource(path, `the default ${text} has unknown fields`, "leave them out");
  // The server holds rules against the default as it stands, before defaults further in are filled.
  return hasRules(schema) ? (JSON.parse(JSON.stringify(parsed.data)) as Json) : value;
}

function complaint({ issues }: z.ZodError): string {
  const [{ path, message }] = issues as [z.core.$ZodIssue];
  return path.length > 0 ? `${path.join(".")}: ${message}` : message;
}

/** Nothing of `before` was dropped on the way to `after`. */
function keeps(after: unknown, before: Json): boolean {
  if (Array.isArray(before)) return before.every((item, i) => keeps((after as readonly unknown[])[i], item));
  if (!isObject(before)) return true;
  return isObject(after) && Object.entries(before).every(([key, value]) => key in after && keeps(after[key], value!));
}

/** The first text that the server's check of a format may refuse, though Zod's takes it. */
function misformed(schema: StructuralSchema, value: Json): string | undefined {
  if (typeof value === "string") {
    return schema.format === undefined || takes(schema.format, value) ? undefined : `"${value}" is not of the format ${schema.format}`;
  }
  if (Array.isArray(value)) return first(value.map((item) => misformed(schema.items ?? {}, item)));
  if (!isObject(value)) return undefined;
  return first(Object.entries(value).map(([key, part]) => misformed(schema.properties?.[key] ?? schema.additionalProperties ?? {}, part!)));
}
const first = (complaints: readonly (string | undefined)[]) => complaints.find((one) => one !== undefined);

function hasRules(schema: StructuralSchema): boolean {
  const parts = [...Object.values(schema.properties ?? {}), schema.additionalProperties, schema.items];
  return schema["x-kubernetes-validations"] !== undefined || parts.some((part) => part !== undefined && hasRules(part));
}
