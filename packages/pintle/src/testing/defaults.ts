import type { Json, JsonObject } from "../json/index.ts";
import { isJsonObject } from "../json/index.ts";

/** Applies the defaults of a structural schema, as the API server does. */
export function applySchemaDefaults(schema: JsonObject, value: Json): Json {
  if (Array.isArray(value)) {
    const items = schema["items"] as JsonObject | undefined;
    return items === undefined ? value : (value as readonly Json[]).map((item) => applySchemaDefaults(items, item));
  }
  if (!isJsonObject(value)) return value;
  const properties = (schema["properties"] ?? {}) as { readonly [name: string]: JsonObject };
  const additional = schema["additionalProperties"];
  const out: Record<string, Json | undefined> = { ...value };
  for (const [name, property] of Object.entries(properties)) {
    const present = out[name] ?? property["default"];
    if (present !== undefined) out[name] = applySchemaDefaults(property, present);
  }
  if (isJsonObject(additional))
    for (const name of Object.keys(value)) if (properties[name] === undefined) out[name] = applySchemaDefaults(additional, value[name]!);
  return out as JsonObject;
}
