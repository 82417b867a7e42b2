import { isObject, type Json, type JsonObject, type Shape, UNTYPED } from "../kinds/index.ts";
import { sortedKeys } from "./canonical.ts";
import { asMember, type FieldSet, NONE, ordered } from "./field-set.ts";
import { isGranularList, itemElement } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { fieldShape, hasMap, hasScalar, isDeclared, isGranularMap } from "./shape-at.ts";

/** Every field and item that a value names: what its writer claims by applying it. */
export function toFieldSet(value: JsonObject, shape: Shape): FieldSet {
  return claimed(value, shape) ?? NONE;
}

/** undefined: nothing by itself, though whoever holds it may count it. */
function claimed(value: Json, shape: Shape): FieldSet | undefined {
  if (value === null) return isLeafWhenNull(shape) ? NONE : undefined;
  if (typeof value !== "object") return NONE;
  if (!isObject(value)) return isGranularList(shape) ? claimedItems(value as readonly Json[], shape) : NONE;
  return isGranularMap(shape) ? claimedFields(value, shape) : NONE;
}

function claimedFields(value: JsonObject, shape: Shape): FieldSet | undefined {
  const out: Record<PathElement, FieldSet> = {};
  let some = false;
  for (const name of sortedKeys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    let entry = claimed(field, fieldShape(shape, name) ?? UNTYPED);
    // Fields of a struct are there by nature; the keys of a map, and what is empty, are somebody's doing.
    if (isBlank(field) || !isDeclared(shape, name)) entry = entry === undefined ? NONE : asMember(entry);
    if (entry === undefined) continue;
    out[fieldElement(name)] = entry;
    some = true;
  }
  return some ? out : undefined;
}

function claimedItems(items: readonly Json[], shape: Shape): FieldSet | undefined {
  if (items.length === 0) return undefined;
  const out: Record<PathElement, FieldSet> = {};
  const seen = new Set<PathElement>();
  for (const item of items) {
    const element = itemElement(item, shape);
    if (element === undefined) continue;
    // Twins cannot be told apart, so they are claimed as one.
    out[element] = seen.has(element) ? NONE : asMember(claimed(item, shape.items ?? UNTYPED) ?? NONE);
    seen.add(element);
  }
  return ordered(out);
}

/** What a newcomer brings: every field of it, structs too. */
export function everything(value: Json, shape: Shape): FieldSet {
  if (value === null || typeof value !== "object") return NONE;
  if (!isObject(value)) return isGranularList(shape) ? allItems(value as readonly Json[], shape) : NONE;
  if (!isGranularMap(shape)) return NONE;
  const out: Record<PathElement, FieldSet> = { ".": NONE };
  let some = false;
  for (const name of sortedKeys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    out[fieldElement(name)] = everything(field, fieldShape(shape, name) ?? UNTYPED);
    some = true;
  }
  return some ? out : NONE;
}

function allItems(items: readonly Json[], shape: Shape): FieldSet {
  const out: Record<PathElement, FieldSet> = {};
  for (const item of items) {
    const element = itemElement(item, shape);
    if (element !== undefined) out[element] = element in out ? NONE : everything(item, shape.items ?? UNTYPED);
  }
  return asMember(ordered(out));
}

function isLeafWhenNull(shape: Shape): boolean {
  if (hasMap(shape)) return shape.atomic === true;
  return hasScalar(shape) || !isGranularList(shape);
}

function isBlank(value: Json): boolean {
  if (value === null) return true;
  if (!isObject(value)) return false;
  for (const _ in value) return false;
  return true;
}
