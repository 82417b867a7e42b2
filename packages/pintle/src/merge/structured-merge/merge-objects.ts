import { isJsonObject, setOwnProperty } from "../../json/index.ts";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { isAssociativeList, listItemElement } from "../field-set/list-items.ts";
import type { PathElement } from "../field-set/path-element.ts";
import { isJsonEqual } from "../json-equal.ts";
import { allowsMap, allowsScalar, fieldShape, isGranularMap } from "../shape/shape-queries.ts";

/**
 * Merges `config` into `live`. The leaves of `config` win, and nothing is removed. Unchanged values are shared with `live`, which is
 * returned itself when nothing changes.
 */
export function mergeObjects(live: JsonObject, config: JsonObject, shape: Shape): JsonObject {
  return mergeValues(live, config, shape) as JsonObject;
}

function mergeValues(live: Json | undefined, config: Json | undefined, shape: Shape): Json {
  if (config === undefined) return live!;
  if (live === undefined || live === config) return config;
  if (config === null) return keepsLiveOnNull(live, shape) ? live : null;
  if (typeof config !== "object") return config;
  if (!isJsonObject(config)) return mergeLists(live, config as readonly Json[], shape);
  if (!isGranularMap(shape) || !isJsonObject(live)) return isJsonEqual(live, config) ? live : config;
  return mergeFields(live, config, shape);
}

/** A null in `config` does not remove the fields and items of other managers. */
function keepsLiveOnNull(live: Json, shape: Shape): boolean {
  if (allowsMap(shape)) return !shape.atomic && isJsonObject(live) && Object.keys(live).length > 0;
  return !allowsScalar(shape) && isAssociativeList(shape) && Array.isArray(live) && live.length > 0;
}

function mergeFields(live: JsonObject, config: JsonObject, shape: Shape): JsonObject {
  let out: Record<string, Json | undefined> | undefined;
  for (const name in config) {
    const before = Object.hasOwn(live, name) ? live[name] : undefined;
    const after = mergeValues(before, config[name], fieldShape(shape, name) ?? UNTYPED_SHAPE);
    if (after === before) continue;
    out ??= { ...live };
    setOwnProperty(out, name, after);
  }
  return out ?? live;
}

function mergeLists(live: Json, config: readonly Json[], shape: Shape): Json {
  if (!isAssociativeList(shape) || !Array.isArray(live)) return isJsonEqual(live, config) ? live : config;
  const items = interleaveItems(live as readonly Json[], config, shape);
  return items.length === live.length && items.every((item, i) => item === live[i]) ? live : items;
}

/** Returns the items of both lists: those of `config` in its order, and those only in `live` between them at their position. */
function interleaveItems(live: readonly Json[], config: readonly Json[], shape: Shape): Json[] {
  const left = live.map((item) => listItemElement(item, shape));
  const right = config.map((item) => listItemElement(item, shape));
  const mine = indexByElement(live, left);
  const theirs = indexByElement(config, right);
  // Duplicates in live have no counterpart: the item of config replaces all of them.
  const partner = (element: PathElement | undefined) => (element === undefined ? undefined : mine.get(element));
  const join = (i: number) => mergeValues(partner(right[i]) ?? undefined, config[i], shape.items ?? UNTYPED_SHAPE);

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

/** Items by path element; undefined for duplicates. */
function indexByElement(items: readonly Json[], elements: readonly (PathElement | undefined)[]): Map<PathElement, Json | undefined> {
  const found = new Map<PathElement, Json | undefined>();
  for (const [i, element] of elements.entries()) if (element !== undefined) found.set(element, found.has(element) ? undefined : items[i]!);
  return found;
}
