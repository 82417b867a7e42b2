import { isObject, type Json, type JsonObject, type Shape, setOwn, UNTYPED } from "../kinds/index.ts";
import { equal } from "./equal.ts";
import { isGranularList, itemElement } from "./list-items.ts";
import type { PathElement } from "./path-element.ts";
import { fieldShape, hasMap, hasScalar, isGranularMap } from "./shape-at.ts";

/**
 * `live` with everything that `config` says: config wins where both speak of a leaf, and nothing is removed. What does
 * not change is shared with `live`, which itself comes back when config says nothing new.
 */
export function merge(live: JsonObject, config: JsonObject, shape: Shape): JsonObject {
  return merged(live, config, shape) as JsonObject;
}

function merged(live: Json | undefined, config: Json | undefined, shape: Shape): Json {
  if (config === undefined) return live!;
  if (live === undefined || live === config) return config;
  if (config === null) return keptWhenNull(live, shape) ? live : null;
  if (typeof config !== "object") return config;
  if (!isObject(config)) return mergedList(live, config as readonly Json[], shape);
  if (!isGranularMap(shape) || !isObject(live)) return equal(live, config) ? live : config;
  return mergedFields(live, config, shape);
}

/** Null says nothing about the fields and items of others. */
function keptWhenNull(live: Json, shape: Shape): boolean {
  if (hasMap(shape)) return !shape.atomic && isObject(live) && Object.keys(live).length > 0;
  return !hasScalar(shape) && isGranularList(shape) && Array.isArray(live) && live.length > 0;
}

function mergedFields(live: JsonObject, config: JsonObject, shape: Shape): JsonObject {
  let out: Record<string, Json | undefined> | undefined;
  for (const name in config) {
    const before = Object.hasOwn(live, name) ? live[name] : undefined;
    const after = merged(before, config[name], fieldShape(shape, name) ?? UNTYPED);
    if (after === before) continue;
    out ??= { ...live };
    setOwn(out, name, after);
  }
  return out ?? live;
}

function mergedList(live: Json, config: readonly Json[], shape: Shape): Json {
  if (!isGranularList(shape) || !Array.isArray(live)) return equal(live, config) ? live : config;
  const items = interleave(live as readonly Json[], config, shape);
  return items.length === live.length && items.every((item, i) => item === live[i]) ? live : items;
}

/**
 * The items of both: those of config in config's order, and between them, where they stood, those that only live has.
 */
function interleave(live: readonly Json[], config: readonly Json[], shape: Shape): Json[] {
  const left = live.map((item) => itemElement(item, shape));
  const right = config.map((item) => itemElement(item, shape));
  const mine = indexed(live, left);
  const theirs = indexed(config, right);
  // A twin in live is nobody's partner: what config says takes the place of all of them.
  const partner = (element: PathElement | undefined) => (element === undefined ? undefined : mine.get(element));
  const join = (i: number) => merged(partner(right[i]) ?? undefined, config[i], shape.items ?? UNTYPED);

  const shared = right.filter((element) => element !== undefined && mine.has(element));
  let next = 0;
  const done = new Set<PathElement | undefined>();
  const out: Json[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const element = left[l];
    if (l < left.length && r < right.length) {
      if (element === right[r]) {
        done.add(element);
        out.push(join(r));
        l++;
        r++;
        next++;
        continue;
      }
      if (theirs.has(element!) && next < shared.length && shared[next] !== element) {
        l++;
        continue;
      }
    }
    if (l < left.length) {
      if (!theirs.has(element!)) {
        out.push(live[l]!);
        l++;
        continue;
      }
      if (done.has(element)) l++;
    }
    if (r < right.length) {
      done.add(right[r]);
      out.push(join(r));
      if (shared[next] === right[r]) next++;
      r++;
    }
  }
  return out;
}

/** By element; undefined for twins. */
function indexed(items: readonly Json[], elements: readonly (PathElement | undefined)[]): Map<PathElement, Json | undefined> {
  const found = new Map<PathElement, Json | undefined>();
  for (const [i, element] of elements.entries()) if (element !== undefined) found.set(element, found.has(element) ? undefined : items[i]!);
  return found;
}
