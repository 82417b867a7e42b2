import { isObject, type Json, type JsonObject } from "../kinds/index.ts";

/** Fills in what a structural schema says by default, as a server does when an object comes in. */
export function defaults(schema: JsonObject, value: Json): Json {
  if (Array.isArray(value)) {
    const items = schema["items"] as JsonObject | undefined;
    return items === undefined ? value : (value as readonly Json[]).map((item) => defaults(items, item));
  }
  if (!isObject(value)) return value;
  const properties = (schema["properties"] ?? {}) as { readonly [name: string]: JsonObject };
  const more = schema["additionalProperties"];
  const out: Record<string, Json | undefined> = { ...value };
  for (const [name, property] of Object.entries(properties)) {
    const given = out[name] ?? property["default"];
    if (given !== undefined) out[name] = defaults(property, given);
  }
  if (isObject(more)) for (const name of Object.keys(value)) if (properties[name] === undefined) out[name] = defaults(more, value[name]!);
  return out as JsonObject;
}
