import { formatGoValue } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "pintle/kinds";
import { badRequest } from "../../status/index.ts";
import { goTypeName, unclassifiedError } from "../patch-errors.ts";
import { removeNulls } from "./remove-nulls.ts";
import { deleteListItems, mergeListItems, orderListItems } from "./strategic-list.ts";

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const ORDER = "$setElementOrder/";
const DELETE = "$deleteFromPrimitiveList/";

/**
 * Applies a strategic merge patch: lists merge by the patch strategies of their fields. Throws `ApiError` when the patch does not apply.
 */
export function applyStrategicMergePatch(document: JsonObject, patch: JsonObject, shape: Shape): JsonObject {
  return mergeMap(document, patch, shape);
}

function mergeMap(original: JsonObject, patch: JsonObject, shape: Shape): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return applyMapDirective(patch);
  const out: Record<string, Json | undefined> = applyRetainKeys(original, patch);
  const rest = new Map(Object.entries(patch).filter(([key]) => key !== RETAIN_KEYS));

  for (const [key, order] of rest) {
    if (!key.startsWith("$setElementOrder")) continue;
    rest.delete(key);
    if (!key.startsWith(ORDER)) throw badRequest("invalid patch format of setElementOrder list");
    const field = key.slice(ORDER.length);
    const list = mergeOrderedList(out[field], rest.get(field), order!, getFieldShape(shape, field));
    if (list === undefined) continue;
    out[field] = list;
    rest.delete(field);
  }
  for (const [key, value] of rest) mergeField(out, key, value!, shape);
  return out;
}

/** Applies the `$patch` directive of a map. */
function applyMapDirective(patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === "replace") return rest;
  if (directive === "delete") return {};
  throw unclassifiedError(`unknown patch type: ${String(directive)} in map: ${formatGoValue(patch)}`);
}

/** Returns the fields of the original that `$retainKeys` retains. */
function applyRetainKeys(original: JsonObject, patch: JsonObject): Record<string, Json | undefined> {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return { ...original };
  const keys = patch[RETAIN_KEYS];
  if (!Array.isArray(keys)) throw badRequest("invalid patch format of retainKeys");
  const isListDirective = (key: string) => key.startsWith("$deleteFromPrimitiveList") || key.startsWith("$setElementOrder");
  for (const [key, value] of Object.entries(patch)) {
    if (key === RETAIN_KEYS || value === null || isListDirective(key)) continue;
    if (!keys.includes(key)) throw badRequest("invalid patch format of retainKeys");
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)));
}

/** Merges a list that comes with `$setElementOrder`; undefined when neither side has the list. */
function mergeOrderedList(original: Json | undefined, patch: Json | undefined, order: Json, shape: Shape): Json | undefined {
  if (!Array.isArray(order)) throw unclassifiedError(`expected a []interface {}, but received a ${goTypeName(order)}`);
  for (const list of [original, patch]) {
    if (list !== undefined && !Array.isArray(list))
      throw unclassifiedError(`expected a []interface {}, but received a ${goTypeName(list)}`);
  }
  if (original === undefined && patch === undefined) return undefined;
  const before = (original ?? []) as readonly Json[];
  const patchItems = (patch ?? []) as readonly Json[];
  const merged =
    patch === undefined
      ? before
      : original === undefined
        ? (removeDirectives(patchItems) as readonly Json[])
        : getPatchStrategy(shape) === "merge"
          ? mergeListItems(before, patchItems, shape, mergeMap)
          : patchItems;
  return orderListItems(merged, { before, patchItems, order: order as readonly Json[] }, shape);
}

function mergeField(out: Record<string, Json | undefined>, key: string, value: Json, shape: Shape): void {
  const deleting = key.startsWith("$deleteFromPrimitiveList");
  if (deleting && !key.startsWith(DELETE)) throw badRequest("invalid patch format of primitive list");
  const field = deleting ? key.slice(DELETE.length) : key;
  const current = Object.hasOwn(out, field) ? out[field] : undefined;
  const put = (next: Json | undefined) => {
    if (next === undefined) delete out[field];
    else out[field] = next;
  };
  const inner = getFieldShape(shape, field);
  if (value === null) put(undefined);
  else if (current === undefined || goTypeName(current) !== goTypeName(value)) {
    if (!deleting) put(removeDirectives(removeNulls(value)));
  } else if (isJsonObject(current) && isJsonObject(value)) {
    put(getPatchStrategy(inner) === "replace" ? value : mergeMap(current, value, inner));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    const items = current as readonly Json[];
    if (deleting) put(deleteListItems(items, value as readonly Json[]));
    else put(getPatchStrategy(inner) === "merge" ? mergeListItems(items, value as readonly Json[], inner, mergeMap) : value);
  } else put(value);
}

/** Patch strategy of a field, except retainKeys, which the patch itself declares. */
function getPatchStrategy(shape: Shape): string | undefined {
  return shape.patch?.strategy?.find((strategy) => strategy !== "retainKeys");
}

function getFieldShape(shape: Shape, name: string): Shape {
  return (shape.fields !== undefined && Object.hasOwn(shape.fields, name) ? shape.fields[name] : shape.values) ?? UNTYPED_SHAPE;
}

/** Removes directives from a new value; undefined when nothing else remains. */
function removeDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => removeDirectives(item as Json)).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const fields = Object.entries(value).map(([key, field]) => [key, removeDirectives(field!)] as const);
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
}
