import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { setField } from "./copy-on-write.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** Drops unknown fields and adds their paths to `unknown`; `path` is the path of the value. */
export type Pruner = (value: Json, path: string, unknown: string[]) => Json;

/** Compiles pruning. Without a schema, objects lose all their fields. */
export function compilePruner(node: StructuralSchema | undefined): Pruner {
  if (node === undefined) return pruneAll;
  const { preservesUnknownFields, isResource, allowsAdditionalProperties } = node;
  const properties = new Map<string, Pruner>();
  for (const [name, property] of node.properties) properties.set(name, compilePruner(property));
  const others = allowsAdditionalProperties ? compilePruner(node.additionalProperties) : undefined;
  // Preserving unknown fields also applies to the objects in a list.
  const items = preservesUnknownFields ? compilePreservingItems(node.items) : compilePruner(node.items);

  return (value, path, unknown) => {
    if (Array.isArray(value)) return pruneItems(value, items, path, unknown);
    if (!isJsonObject(value)) return value;
    let copy: ReturnType<typeof setField> | undefined;
    for (const key in value) {
      if (isResource && isTypeOrObjectMeta(key)) continue;
      const field = value[key]!;
      const prune = properties.get(key) ?? others;
      if (prune !== undefined) {
        const pruned = prune(field, joinPath(path, key), unknown);
        if (pruned !== field) copy = setField(value, copy, key, pruned);
      } else if (!preservesUnknownFields) {
        unknown.push(joinPath(path, key));
        copy = setField(value, copy, key, undefined);
      }
    }
    return (copy as JsonObject | undefined) ?? value;
  };
}

const keepValue: Pruner = (value) => value;

function compilePreservingItems(items: StructuralSchema | undefined): Pruner {
  return items === undefined ? keepValue : compilePruner({ ...items, preservesUnknownFields: true });
}

const pruneAll: Pruner = (value, path, unknown) => {
  if (Array.isArray(value)) return pruneItems(value, pruneAll, path, unknown);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.length === 0) return value;
  for (const key of keys) unknown.push(joinPath(path, key));
  return {};
};

function pruneItems(items: readonly Json[], prune: Pruner, path: string, unknown: string[]): Json {
  let copy: Json[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    if (typeof item !== "object" || item === null) continue;
    const pruned = prune(item, `${path}[${i}]`, unknown);
    if (pruned === item) continue;
    copy ??= items.slice();
    copy[i] = pruned;
  }
  return copy ?? items;
}

function isTypeOrObjectMeta(key: string): boolean {
  return key === "metadata" || key === "kind" || key === "apiVersion";
}

function joinPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
