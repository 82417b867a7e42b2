import { formatGoValue } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject, Shape } from "pintle/kinds";
import { badRequest } from "../../status/index.ts";
import { goTypeName, unclassifiedError, unprocessablePatch } from "../patch-errors.ts";

type ListItems = readonly Json[];
type MergeMap = (original: JsonObject, patch: JsonObject, shape: Shape) => JsonObject;

/** Merges lists with strategy merge: maps by merge key, scalars by value; the order of the patch comes first. */
export function mergeListItems(original: ListItems, patch: ListItems, shape: Shape, mergeMap: MergeMap): ListItems {
  if (original.length + patch.length === 0) return original;
  const type = getItemType(original, patch);
  if (type !== MAP) return arrangeItems([...new Set([...original, ...patch])], patch, original, "");
  const mergeKey = shape.patch?.mergeKey ?? "";
  if (mergeKey === "") throw unclassifiedError("cannot merge lists without merge key for struct");
  const { before, patchItems } = applyItemDirectives(original as readonly JsonObject[], patch as readonly JsonObject[], mergeKey);
  const merged: Json[] = [...before];
  const positions = indexFirst(before, (item) => (isJsonObject(item) ? item[mergeKey] : undefined));
  for (const item of patchItems) {
    const value = getMergeKey(item, mergeKey);
    const at = positions.get(value);
    if (at !== undefined) merged[at] = mergeMap(merged[at] as JsonObject, item, shape.items ?? {});
    else positions.set(value, merged.push(item) - 1);
  }
  return arrangeItems(merged, patchItems, before, mergeKey);
}

/** Applies `$deleteFromPrimitiveList`. */
export function deleteListItems(original: ListItems, unwanted: ListItems): ListItems {
  if (original.length + unwanted.length > 0 && getItemType(original, unwanted) === MAP) {
    throw unclassifiedError("cannot merge lists without merge key for struct");
  }
  const deleted = new Set(unwanted);
  return original.filter((item) => !deleted.has(item));
}

/** Returns the position of the first item with each identity. */
function indexFirst<K>(items: ListItems, identify: (item: Json) => K): Map<K, number> {
  const positions = new Map<K, number>();
  for (const [at, item] of items.entries()) {
    const identity = identify(item);
    if (!positions.has(identity)) positions.set(identity, at);
  }
  return positions;
}

/** Applies `$setElementOrder`: sorts a merged list into the order of the patch. */
export function orderListItems(
  merged: ListItems,
  patch: { before: ListItems; patchItems: ListItems; order: ListItems },
  shape: Shape,
): ListItems {
  const mergeKey = shape.patch?.mergeKey ?? "";
  checkOrder(patch.patchItems, patch.order, mergeKey);
  getItemType(patch.before, patch.patchItems);
  return arrangeItems(merged, patch.order, computeServerOrder(patch.before, patch.patchItems, mergeKey), mergeKey);
}

/**
 * The previous order that upstream's implementation uses: it deletes items in place, so the first new items take the slots of deleted
 * ones.
 */
function computeServerOrder(before: ListItems, patchItems: ListItems, mergeKey: string): ListItems {
  if (mergeKey === "" || before.length === 0) return before;
  const keyOf = (item: Json) => (isJsonObject(item) ? item[mergeKey] : undefined);
  const isDirective = (item: Json) => isJsonObject(item) && Object.hasOwn(item, "$patch");
  const deleted = new Set(patchItems.filter(isDirective).map(keyOf));
  const left = before.filter((item) => !deleted.has(keyOf(item)));
  const known = new Set(left.map(keyOf));
  const added = patchItems.filter((item) => !isDirective(item) && !known.has(keyOf(item)));
  return [...left, ...added.slice(0, before.length - left.length)];
}

/** Applies and removes items with a `$patch` directive. */
function applyItemDirectives(original: readonly JsonObject[], patch: readonly JsonObject[], mergeKey: string) {
  const deleted = new Set<Json | undefined>();
  const patchItems: JsonObject[] = [];
  let replace = false;
  for (const item of patch) {
    const directive = Object.hasOwn(item, "$patch") ? item["$patch"] : undefined;
    if (directive === undefined) patchItems.push(item);
    else if (directive === "delete") deleted.add(getMergeKey(item, mergeKey));
    else if (directive === "replace") replace = true;
    else if (directive === "merge") throw unclassifiedError("merging lists cannot yet be specified in the patch");
    else throw unclassifiedError(`unknown patch type: ${String(directive)} in map: ${formatGoValue(item)}`);
  }
  if (replace) return { before: patchItems, patchItems: [] };
  return { before: deleted.size === 0 ? original : original.filter((other) => !deleted.has(other[mergeKey])), patchItems };
}

/** ListItems of `order` in that order, with the other items between them where `before` had them. */
function arrangeItems(items: ListItems, order: ListItems, before: ListItems, mergeKey: string): ListItems {
  const identify = (item: Json) => getItemIdentity(item, mergeKey);
  const requested = indexFirst(order, identify);
  const previous = indexFirst(before, identify);
  const positionIn = (positions: ReadonlyMap<Json | undefined, number>) => (item: Json) => positions.get(identify(item)) ?? -1;
  const isRequested = (item: Json) => requested.has(identify(item));
  const ordered = sortBy(items.filter(isRequested), positionIn(requested));
  const others = sortBy(
    items.filter((item) => !isRequested(item)),
    positionIn(previous),
  );
  const out: Json[] = [];
  let next = 0;
  for (const item of ordered) {
    const at = positionIn(previous)(item);
    for (; at >= 0 && next < others.length; next++) {
      const other = positionIn(previous)(others[next]!);
      if (other < 0 || other >= at) break;
      out.push(others[next]!);
    }
    out.push(item);
  }
  return [...out, ...others.slice(next)];
}

function sortBy(items: ListItems, positionOf: (item: Json) => number): ListItems {
  return items
    .map((item) => ({ item, position: positionOf(item) }))
    .sort((a, b) => a.position - b.position)
    .map(({ item }) => item);
}

/** Throws unless the items of the patch appear in the requested order, all of them. */
function checkOrder(patch: ListItems, order: ListItems, mergeKey: string): void {
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

function getItemType(...lists: readonly ListItems[]): string {
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
