import type * as z from "zod";
import { isJsonObject } from "../../json/index.ts";
import type { Json } from "../../kinds/index.ts";
import type { StructuralSchema } from "../custom-resource-definition.ts";
import { acceptsFormat } from "../fields/index.ts";
import { InvalidResource, notStructuralError } from "../invalid-resource.ts";
import type { ZodNode } from "./zod-node.ts";

/** Returns a default as plain JSON. Throws `InvalidResource` unless it is constant, valid and free of unknown fields. */
export function parseDefaultValue({ def, path }: ZodNode<z.core.$ZodDefaultDef | z.core.$ZodPrefaultDef>, schema: StructuralSchema): Json {
  const text = JSON.stringify(def.defaultValue);
  if (text === undefined) throw notStructuralError(path, "a default that is not JSON", "write a plain value");
  if (text !== JSON.stringify(def.defaultValue)) {
    throw notStructuralError(
      path,
      "a default that changes",
      "the default of a schema is constant: write a plain value, or set it in reconcile",
    );
  }
  const value = JSON.parse(text) as Json;
  if (value === null) throw notStructuralError(path, "a default of null", "write .nullable().optional(): an absent field means the same");
  const parsed = (def.innerType as z.ZodType).safeParse(value);
  const problem = parsed.success ? findFormatError(schema, value) : firstIssue(parsed.error);
  if (problem !== undefined)
    throw new InvalidResource(path, `the default ${text} is not valid: ${problem}`, "write a default that the schema accepts");
  if (!preservesFields(parsed.data, value)) throw new InvalidResource(path, `the default ${text} has unknown fields`, "remove them");
  // The API server evaluates CEL rules on the default as written, before nested defaults are applied.
  return hasCelRules(schema) ? (JSON.parse(JSON.stringify(parsed.data)) as Json) : value;
}

function firstIssue({ issues }: z.ZodError): string {
  const [{ path, message }] = issues as [z.core.$ZodIssue];
  return path.length > 0 ? `${path.join(".")}: ${message}` : message;
}

/** Whether every field of `before` is still in `after`. */
function preservesFields(after: unknown, before: Json): boolean {
  if (Array.isArray(before)) return before.every((item, i) => preservesFields((after as readonly unknown[])[i], item));
  if (!isJsonObject(before)) return true;
  return isJsonObject(after) && Object.entries(before).every(([key, value]) => key in after && preservesFields(after[key], value!));
}

/** Returns an error for the first string that Zod accepts and the API server's format check may reject. */
function findFormatError(schema: StructuralSchema, value: Json): string | undefined {
  if (typeof value === "string") {
    return schema.format === undefined || acceptsFormat(schema.format, value)
      ? undefined
      : `"${value}" is not of the format ${schema.format}`;
  }
  if (Array.isArray(value)) return firstDefined(value.map((item) => findFormatError(schema.items ?? {}, item)));
  if (!isJsonObject(value)) return undefined;
  return firstDefined(
    Object.entries(value).map(([key, part]) => findFormatError(schema.properties?.[key] ?? schema.additionalProperties ?? {}, part!)),
  );
}
const firstDefined = (complaints: readonly (string | undefined)[]) => complaints.find((one) => one !== undefined);

function hasCelRules(schema: StructuralSchema): boolean {
  const parts = [...Object.values(schema.properties ?? {}), schema.additionalProperties, schema.items];
  return schema["x-kubernetes-validations"] !== undefined || parts.some((part) => part !== undefined && hasCelRules(part));
}
