import type * as z from "zod";
import { isObject, type Json } from "../kinds/index.ts";
import { InvalidResource, notStructural } from "./invalid-resource.ts";
import type { Node } from "./node.ts";

/** A default the server takes: plain JSON, the same every time, valid, and without fields the schema does not know. */
export function defaultValue({ def, path }: Node<z.core.$ZodDefaultDef | z.core.$ZodPrefaultDef>): Json {
  const text = JSON.stringify(def.defaultValue);
  if (text === undefined) throw notStructural(path, "a default that is not JSON", "write a plain value");
  if (text !== JSON.stringify(def.defaultValue)) {
    throw notStructural(path, "a default that changes", "a schema has one default for ever: write a plain value, or set it in reconcile");
  }
  const value = JSON.parse(text) as Json;
  if (value === null) throw notStructural(path, "a default of null", "write .nullable().optional(): absent says the same");
  const parsed = (def.innerType as z.ZodType).safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue!.path.length > 0 ? ` at ${issue!.path.join(".")}` : "";
    throw new InvalidResource(
      path,
      `the default ${text} is not valid${where}: ${issue!.message}`,
      "give a default that its own schema takes",
    );
  }
  if (!keeps(parsed.data, value)) throw new InvalidResource(path, `the default ${text} has unknown fields`, "leave them out");
  return value;
}

/** Nothing of `before` was dropped on the way to `after`. */
function keeps(after: unknown, before: Json): boolean {
  if (Array.isArray(before)) return before.every((item, i) => keeps((after as readonly unknown[])[i], item));
  if (!isObject(before)) return true;
  return isObject(after) && Object.entries(before).every(([key, value]) => key in after && keeps(after[key], value!));
}
