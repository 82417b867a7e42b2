import { isObject, type Json, type JsonObject, type Shape, UNTYPED } from "pintle/kinds";
import { goText } from "pintle/merge";
import { badRequest } from "../status/index.ts";
import { goType, unexpected } from "./refusals.ts";
import { deletedItems, mergedItems, orderedItems } from "./strategic-list.ts";
import { withoutNulls } from "./without-nulls.ts";

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const ORDER = "$setElementOrder/";
const DELETE = "$deleteFromPrimitiveList/";

/** Kubernetes' own patch format: lists merge as their fields' patch strategies say. Throws an ApiError when it does not apply. */
export function strategicMergePatch(document: JsonObject, patch: JsonObject, shape: Shape): JsonObject {
  return mergedMap(document, patch, shape);
}

function mergedMap(original: JsonObject, patch: JsonObject, shape: Shape): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return directed(patch);
  const out: Record<string, Json | undefined> = retained(original, patch);
  const rest = new Map(Object.entries(patch).filter(([key]) => key !== RETAIN_KEYS));

  for (const [key, order] of rest) {
    if (!key.startsWith("$setElementOrder")) continue;
    rest.delete(key);
    if (!key.startsWith(ORDER)) throw badRequest("invalid patch format of setElementOrder list");
    const field = key.slice(ORDER.length);
    const list = orderedList(out[field], rest.get(field), order!, fieldOf(shape, field));
    if (list === undefined) continue;
    out[field] = list;
    rest.delete(field);
  }
  for (const [key, value] of rest) mergeField(out, key, value!, shape);
  return out;
}

/** A map that carries its own instruction. */
function directed(patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === "replace") return rest;
  if (directive === "delete") return {};
  throw unexpected(`unknown patch type: ${String(directive)} in map: ${goText(patch)}`);
}

/** What `$retainKeys` leaves of the original. */
function retained(original: JsonObject, patch: JsonObject): Record<string, Json | undefined> {
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

/** The list of a field that comes with an order; undefined when neither side has it. */
function orderedList(original: Json | undefined, patch: Json | undefined, order: Json, shape: Shape): Json | undefined {
  if (!Array.isArray(order)) throw unexpected(`expected a []interface {}, but received a ${goType(order)}`);
  for (const list of [original, patch]) {
    if (list !== undefined && !Array.isArray(list)) throw unexpected(`expected a []interface {}, but received a ${goType(list)}`);
  }
  if (original === undefined && patch === undefined) return undefined;
  const before = (original ?? []) as readonly Json[];
  const wanted = (patch ?? []) as readonly Json[];
  const merged =
    patch === undefined
      ? before
      : original === undefined
        ? (withoutDirectives(wanted) as readonly Json[])
        : strategyOf(shape) === "merge"
          ? mergedItems(before, wanted, shape, mergedMap)
          : wanted;
  return orderedItems(merged, { before, wanted, order: order as readonly Json[] }, shape);
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
  const inner = fieldOf(shape, field);
  if (value === null) put(undefined);
  else if (current === undefined || goType(current) !== goType(value)) {
    if (!deleting) put(withoutDirectives(withoutNulls(value)));
  } else if (isObject(current) && isObject(value)) {
    put(strategyOf(inner) === "replace" ? value : mergedMap(current, value, inner));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    const items = current as readonly Json[];
    if (deleting) put(deletedItems(items, value as readonly Json[]));
    else put(strategyOf(inner) === "merge" ? mergedItems(items, value as readonly Json[], inner, mergedMap) : value);
  } else put(value);
}

/** How a field is patched, apart from retainKeys, which is the patch's own business. */
function strategyOf(shape: Shape): string | undefined {
  return shape.patch?.strategy?.find((strategy) => strategy !== "retainKeys");
}

function fieldOf(shape: Shape, name: string): Shape {
  return (shape.fields !== undefined && Object.hasOwn(shape.fields, name) ? shape.fields[name] : shape.values) ?? UNTYPED;
}

/** What is new is taken as it is, without the parts that only say how to merge; undefined when nothing else was there. */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutDirectives(item as Json)).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const fields = Object.entries(value).map(([key, field]) => [key, withoutDirectives(field!)] as const);
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
}
