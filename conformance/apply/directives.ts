import { isJsonObject } from "pintle/internal/json";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "pintle/kinds";
import type { Random } from "./random.ts";

/** Adds random directives to a strategic merge patch. */
export function withDirectives(patch: JsonObject, shape: Shape, chance: Random): JsonObject {
  const out: Record<string, Json> = {};
  for (const [name, value] of Object.entries(patch)) {
    const inner = shape.fields?.[name] ?? shape.values ?? UNTYPED_SHAPE;
    if (Array.isArray(value)) Object.assign(out, list(name, value as readonly Json[], inner, chance));
    else out[name] = isJsonObject(value) ? withDirectives(value, inner, chance) : value!;
  }
  if (shape.patch?.strategy?.includes("retainKeys") && chance.chance(0.5)) out["$retainKeys"] = Object.keys(out);
  if (
    Object.keys(out).length > 0 &&
    shape.fields !== undefined &&
    !("spec" in out || "metadata" in out) &&
    shape.fields["finalizers"] === undefined &&
    chance.chance(0.03)
  )
    out["$patch"] = "replace";
  return out;
}

function list(name: string, items: readonly Json[], shape: Shape, chance: Random): JsonObject {
  const { mergeKey, strategy } = shape.patch ?? {};
  if (!strategy?.includes("merge")) return { [name]: items };
  if (mergeKey === undefined) {
    return {
      // The result of an item that is both set and deleted is not deterministic on kube-apiserver.
      ...(chance.chance(0.3) ? { [`$deleteFromPrimitiveList/${name}`]: ["example.com/b"].filter((item) => !items.includes(item)) } : {}),
      ...(chance.chance(0.3) ? { [`$setElementOrder/${name}`]: items } : {}),
      [name]: items,
    };
  }
  const inside = items.map((item) => (isJsonObject(item) ? withDirectives(item, shape.items ?? UNTYPED_SHAPE, chance) : item));
  const key = (item: Json) => ({ [mergeKey]: (item as JsonObject)[mergeKey] ?? null });
  const marked = inside.map((item) => (chance.chance(0.15) ? { ...key(item), $patch: "delete" } : item));
  const ordered = marked.filter((item) => !Object.hasOwn(item as JsonObject, "$patch"));
  return {
    ...(chance.chance(0.4) && ordered.length > 0 ? { [`$setElementOrder/${name}`]: ordered.map(key) } : {}),
    [name]: chance.chance(0.05) ? [...marked, { $patch: "replace" }] : marked,
  };
}
