import { isObject, type Json, setOwn } from "../kinds/index.ts";
import type { StructuralSchema } from "./custom-resource-definition.ts";

/** A value with the defaults of its schema filled in, as it would be read from a server. */
export function defaulted(schema: StructuralSchema, value: Json): Json {
  if (Array.isArray(value)) return schema.items ? value.map((item) => defaulted(schema.items!, item)) : value;
  if (!isObject(value)) return value;
  const out: Record<string, Json> = {};
  for (const [name, part] of Object.entries(value)) {
    const inner = (Object.hasOwn(schema.properties ?? {}, name) && schema.properties![name]) || schema.additionalProperties;
    if (part !== undefined) setOwn(out, name, inner ? defaulted(inner, part) : part);
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const absent = out[name] === undefined || (out[name] === null && !field.nullable);
    if (absent && field.default !== undefined) out[name] = defaulted(field, field.default);
  }
  return out;
}
