import { isObject, type Json, type JsonObject, type Shape } from "pintle/kinds";
import { goText } from "pintle/merge";
import { badRequest } from "../status/index.ts";
import { goType, unexpected, unprocessable } from "./refusals.ts";

type Items = readonly Json[];
type MergeMap = (original: JsonObject, patch: JsonObject, shape: Shape) => JsonObject;

/** A list with merge strategy: items meet by merge key, scalars by value; the patch's order comes first. */
export function mergedItems(original: Items, patch: Items, shape: Shape, mergeMap: MergeMap): Items {
  if (original.length + patch.length === 0) return original;
  const type = itemType(original, patch);
  if (type !== MAP) return arranged([...new Set([...original, ...patch])], patch, original, "");
  const mergeKey = shape.patch?.mergeKey ?? "";
  if (mergeKey === "") throw unexpected("cannot merge lists without merge key for struct");
  const { before, wanted } = specials(original as readonly JsonObject[], patch as readonly JsonObject[], mergeKey);
  const merged: Json[] = [...before];
  for (const item of wanted) {
    const value = keyOf(item, mergeKey);
    const at = merged.findIndex((other) => isObject(other) && other[mergeKey] === value);
    if (at < 0) merged.push(item);
    else merged[at] = mergeMap(merged[at] as JsonObject, item, shape.items ?? {});
  }
  return arranged(merged, wanted, before, mergeKey);
}

/** `$deleteFromPrimitiveList` */
export function deletedItems(original: Items, unwanted: Items): Items {
  if (original.length + unwanted.length > 0 && itemType(original, unwanted) === MAP) {
    throw unexpected("cannot merge lists without merge key for struct");
  }
  return original.filter((item) => !unwanted.includes(item));
}

/** `$setElementOrder`: a merged list, brought into the order the patch asks for. */
export function orderedItems(merged: Items, patch: { before: Items; wanted: Items; order: Items }, shape: Shape): Items {
  const mergeKey = shape.patch?.mergeKey ?? "";
  checkOrder(patch.wanted, patch.order, mergeKey);
  itemType(patch.before, patch.wanted);
  return arranged(merged, patch.order, remembered(patch.before, patch.wanted, mergeKey), mergeKey);
}

/**
 * The order the server remembers: where items were deleted, the first new ones took their places in its memory before
 * it looked again.
 */
function remembered(before: Items, wanted: Items, mergeKey: string): Items {
  if (mergeKey === "" || before.length === 0) return before;
  const keys = (items: Items) => items.map((item) => (isObject(item) ? item[mergeKey] : undefined));
  const isDirective = (item: Json) => isObject(item) && Object.hasOwn(item, "$patch");
  const deleted = keys(wanted.filter(isDirective));
  const left = before.filter((item) => !deleted.includes(keys([item])[0]));
  const known = keys(left);
  const added = wanted.filter((item) => !isDirective(item) && !known.includes(keys([item])[0]));
  return [...left, ...added.slice(0, before.length - left.length)];
}

/** Items with instructions of their own are followed and leave. */
function specials(original: readonly JsonObject[], patch: readonly JsonObject[], mergeKey: string) {
  let before = original;
  const wanted: JsonObject[] = [];
  let replace = false;
  for (const item of patch) {
    const directive = Object.hasOwn(item, "$patch") ? item["$patch"] : undefined;
    if (directive === undefined) wanted.push(item);
    else if (directive === "delete") {
      const value = keyOf(item, mergeKey);
      before = before.filter((other) => other[mergeKey] !== value);
    } else if (directive === "replace") replace = true;
    else if (directive === "merge") throw unexpected("merging lists cannot yet be specified in the patch");
    else throw unexpected(`unknown patch type: ${String(directive)} in map: ${goText(item)}`);
  }
  return replace ? { before: wanted, wanted: [] } : { before, wanted };
}

/** Items in `order` in that order; between them, where `before` had them, the rest. */
function arranged(items: Items, order: Items, before: Items, mergeKey: string): Items {
  const place = (list: Items, item: Json) => list.findIndex((other) => identity(other, mergeKey) === identity(item, mergeKey));
  const by = (list: Items) => (a: Json, b: Json) => place(list, a) - place(list, b);
  const ours = items.filter((item) => place(order, item) >= 0).sort(by(order));
  const others = items.filter((item) => place(order, item) < 0).sort(by(before));
  const out: Json[] = [];
  for (const item of ours) {
    const at = place(before, item);
    while (at >= 0 && others.length > 0 && place(before, others[0]!) >= 0 && place(before, others[0]!) < at) out.push(others.shift()!);
    out.push(item);
  }
  return [...out, ...others];
}

/** The items of the patch must appear in the asked order, and all of them. */
function checkOrder(patch: Items, order: Items, mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const directive = (item: Json) => (isObject(item) && Object.hasOwn(item, "$patch") ? item["$patch"] : undefined);
  const named = mergeKey === "" ? patch : patch.filter((item) => directive(item) !== "delete");
  let next = 0;
  for (const item of order) {
    while (next < named.length && directive(named[next]!) !== undefined) next++;
    if (next < named.length && identity(named[next]!, mergeKey) === identity(item, mergeKey)) next++;
  }
  if (next === named.length) return;
  throw unexpected(`The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`);
}

const MAP = "map[string]interface {}";

function itemType(...lists: readonly Items[]): string {
  const types = [...new Set(lists.flat().map(goType))];
  if (types[0]?.startsWith("[]")) throw unprocessable();
  if (types.length > 1) throw unexpected(`list element types are not identical: ${goText(lists)}`);
  if (types[0] === undefined) throw unexpected("no elements in any of the given slices");
  return types[0];
}

function identity(item: Json, mergeKey: string): Json | undefined {
  if (mergeKey === "") return item;
  if (!isObject(item)) throw badRequest("invalid patch format of setElementOrder list");
  return keyOf(item, mergeKey);
}

function keyOf(item: JsonObject, mergeKey: string): Json {
  const value = item[mergeKey];
  if (value === undefined) throw unexpected(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
  return value;
}
