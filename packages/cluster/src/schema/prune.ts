import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { edit } from "./edit.ts";
import type { Structural } from "./structural.ts";

/** Drops what a schema does not know; `unknown` collects the paths of what went, `path` is where the value stands. */
export type Pruner = (value: Json, path: string, unknown: string[]) => Json;

/** Compiles pruning. `undefined` stands for a value nothing is known about: objects lose all their fields. */
export function pruner(node: Structural | undefined): Pruner {
  if (node === undefined) return pruneAll;
  const { preserve, embedded, open } = node;
  const properties = new Map<string, Pruner>();
  for (const [name, property] of node.properties) properties.set(name, pruner(property));
  const others = open ? pruner(node.additional) : undefined;
  // Preserving reaches through lists: their items keep unknown fields too, as far as they are objects.
  const items = preserve ? preservingItems(node.items) : pruner(node.items);

  return (value, path, unknown) => {
    if (Array.isArray(value)) return pruneItems(value, items, path, unknown);
    if (!isObject(value)) return value;
    let copy: ReturnType<typeof edit> | undefined;
    for (const key in value) {
      if (embedded && isTypeOrObjectMeta(key)) continue;
      const field = value[key]!;
      const prune = properties.get(key) ?? others;
      if (prune !== undefined) {
        const kept = prune(field, child(path, key), unknown);
        if (kept !== field) copy = edit(value, copy, key, kept);
      } else if (!preserve) {
        unknown.push(child(path, key));
        copy = edit(value, copy, key, undefined);
      }
    }
    return (copy as JsonObject | undefined) ?? value;
  };
}

const keep: Pruner = (value) => value;

function preservingItems(items: Structural | undefined): Pruner {
  return items === undefined ? keep : pruner({ ...items, preserve: true });
}

const pruneAll: Pruner = (value, path, unknown) => {
  if (Array.isArray(value)) return pruneItems(value, pruneAll, path, unknown);
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.length === 0) return value;
  for (const key of keys) unknown.push(child(path, key));
  return {};
};

function pruneItems(items: readonly Json[], prune: Pruner, path: string, unknown: string[]): Json {
  let copy: Json[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    if (typeof item !== "object" || item === null) continue;
    const kept = prune(item, `${path}[${i}]`, unknown);
    if (kept === item) continue;
    copy ??= items.slice();
    copy[i] = kept;
  }
  return copy ?? items;
}

function isTypeOrObjectMeta(key: string): boolean {
  return key === "metadata" || key === "kind" || key === "apiVersion";
}

function child(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
