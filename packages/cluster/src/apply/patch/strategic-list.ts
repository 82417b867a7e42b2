import { formatGoValue } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject, Shape } from "pintle/kinds";
import { badRequest } from "../../status/index.ts";
import { goTypeName, unclassifiedError, unprocessablePatch } from "../patch-errors.ts";

type Items = readonly Json[];
type MergeMap = (original: JsonObject, patch: JsonObject, shape: Shape) => JsonObject;

/** Merges lists with strategy merge: maps by merge key, scalars by value; the order of the patch comes first. */
export function mergeListItems(original: Items, patch: Items, shape: Shape, mergeMap: MergeMap): Items {
  if (original.length + patch.length === 0) return original;
  const type = getItemType(original, patch);
  if (type !== MAP) return arrangeItems([...new Set([...original, ...patch])], patch, original, "");
  const mergeKey = shape.patch?.mergeKey ?? "";
  if (mergeKey === "") throw unclassifiedError("cannot merge lists without merge key for struct");
  const { before, patchItems } = applyItemDirectives(original as readonly JsonObject[], patch as readonly JsonObject[], mergeKey);
  const merged: Json[] = [...before];
  for (const item of patchItems) {
    const value = getMergeKey(item, mergeKey);
    const at = merged.findIndex((other) => isJsonObject(other) && other[mergeKey] === value);
    if (at < 0) merged.push(item);
    else merged[at] = mergeMap(merged[at] as JsonObject, item, shape.items ?? {});
  }
  return arrangeItems(merged, patchItems, before, mergeKey);
}

/** Applies `$deleteFromPrimitiveList`. */
export function deleteListItems(original: Items, unwanted: Items): Items {
  if (original.length + unwanted.length > 0 && getItemType(original, unwanted) === MAP) {
    throw unclassifiedError("cannot merge lists without merge key for struct");
  }
  return original.filter((item) => !unwanted.includes(item));
}

/** Applies `$setElementOrder`: sorts a merged list into the order of the patch. */
export function orderListItems(merged: Items, patch: { before: Items; patchItems: Items; order: Items }, shape: Shape): Items {
  const mergeKey = shape.patch?.mergeKey ?? "";
  checkOrder(patch.patchItems, patch.order, mergeKey);
  getItemType(patch.before, patch.patchItems);
  return arrangeItems(merged, patch.order, computeServerOrder(patch.before, patch.patchItems, mergeKey), mergeKey);
}

/**
 * The previous order that upstream's implementation uses: it deletes items in place, so the first new items take the slots of deleted
 * ones.
 */
function computeServerOrder(before: Items, patchItems: Items, mergeKey: string): Items {
  if (mergeKey === "" || before.length === 0) return before;
  const keys = (items: Items) => items.map((item) => (isJsonObject(item) ? item[mergeKey] : undefined));
  const isDirective = (item: Json) => isJsonObject(item) && Object.hasOwn(item, "$patch");
  const deleted = keys(patchItems.filter(isDirective));
  const left = before.filter((item) => !deleted.includes(keys([item])[0]));
  const known = keys(left);
  const added = patchItems.filter((item) => !isDirective(item) && !known.includes(keys([item])[0]));
  return [...left, ...added.slice(0, before.length - left.length)];
}

/** Applies and removes items with a `$patch` directive. */
function applyItemDirectives(original: readonly JsonObject[], patch: readonly JsonObject[], mergeKey: string) {
  let before = original;
  const patchItems: JsonObject[] = [];
  let replace = false;
  for (const item of patch) {
    const directive = Object.hasOwn(item, "$patch") ? item["$patch"] : undefined;
    if (directive === undefined) patchItems.push(item);
    else if (directive === "delete") {
      const value = getMergeKey(item, mergeKey);
      before = before.filter((other) => other[mergeKey] !== value);
    } else if (directive === "replace") replace = true;
    else if (directive === "merge") throw unclassifiedError("merging lists cannot yet be specified in the patch");
    else throw unclassifiedError(`unknown patch type: ${String(directive)} in map: ${formatGoValue(item)}`);
  }
  return replace ? { before: patchItems, patchItems: [] } : { before, patchItems };
}

/** Items of `order` in that order, with the other items between them where `before` had them. */
function arrangeItems(items: Items, order: Items, before: Items, mergeKey: string): Items {
  const indexIn = (list: Items, item: Json) =>
    list.findIndex((other) => getItemIdentity(other, mergeKey) === getItemIdentity(item, mergeKey));
  const compareByIndex = (list: Items) => (a: Json, b: Json) => indexIn(list, a) - indexIn(list, b);
  const ordered = items.filter((item) => indexIn(order, item) >= 0).sort(compareByIndex(order));
  const others = items.filter((item) => indexIn(order, item) < 0).sort(compareByIndex(before));
  const out: Json[] = [];
  for (const item of ordered) {
    const at = indexIn(before, item);
    while (at >= 0 && others.length > 0 && indexIn(before, others[0]!) >= 0 && indexIn(before, others[0]!) < at) out.push(others.shift()!);
    out.push(item);
  }
  return [...out, ...others];
}

/** Throws unless the items of the patch appear in the requested order, all of them. */
function checkOrder(patch: Items, order: Items, mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const directive = (item: Json) => (isJsonObject(item) && Object.hasOwn(item, "$patch") ? item["$patch"] : undefined);
  const named = mergeKey === "" ? patch : patch.filter((item) => directive(item) !== "delete");
  let next = 0;
  for (const item of order) {
    while (next < named.length && directive(named[next]!) !== undefined) next++;
    if (next < named.length && getItemIdentity(named[next]!, mergeKey) === getItemIdentity(item, mergeKey)) next++;
  }
  if (next === named.length) return;
  throw unclassifiedError(
    `The order in patch list:\n${formatGoValue(patch)}\n doesn't match $setElementOrder list:\n${formatGoValue(order)}\n`,
  );
}

const MAP = "map[string]interface {}";

function getItemType(...lists: readonly Items[]): string {
  const types = [...new Set(lists.flat().map(goTypeName))];
  if (types[0]?.startsWith("[]")) throw unprocessablePatch();
  if (types.length > 1) throw unclassifiedError(`list element types are not identical: ${formatGoValue(lists)}`);
  if (types[0] === undefined) throw unclassifiedError("no elements in any of the given slices");
  return types[0];
}

function getItemIdentity(item: Json, mergeKey: string): Json | undefined {
  if (mergeKey === "") return item;
  if (!isJsonObject(item)) throw badRequest("invalid patch format of setElementOrder list");
  return getMergeKey(item, mergeKey);
}

function getMergeKey(item: JsonObject, mergeKey: string): Json {
  const value = item[mergeKey];
  if (value === undefined) throw unclassifiedError(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
  return value;
}
