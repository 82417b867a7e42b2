import { isObject, type Json, type JsonObject, type Shape, UNTYPED } from "../kinds/index.ts";
import { sortedKeys } from "./canonical.ts";
import { entries } from "./entries.ts";
import { type FieldSet, NONE, ordered } from "./field-set.ts";
import { isGranularList, itemElement } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { fieldShape, hasMap, hasScalar, isDeclared, isGranularMap } from "./shape-at.ts";

/** Every field and item that a value names: what its writer claims by applying it. */
export function toFieldSet(value: JsonObject, shape: Shape): FieldSet {
  return claimed(value, shape, false) ?? NONE;
}

/** undefined: nothing by itself, though whoever holds it may count it, which `member` says. */
function claimed(value: Json, shape: Shape, member: boolean): FieldSet | undefined {
  if (value === null) return member || isLeafWhenNull(shape) ? NONE : undefined;
  if (typeof value !== "object") return NONE;
  if (!isObject(value)) return isGranularList(shape) ? claimedItems(value as readonly Json[], shape, member) : NONE;
  return isGranularMap(shape) ? claimedFields(value, shape, member) : NONE;
}

function claimedFields(value: JsonObject, shape: Shape, member: boolean): FieldSet | undefined {
  let out = member ? entries().with(".", NONE) : entries();
  let some = false;
  for (const name of sortedKeys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    // Fields of a struct are there by nature; the keys of a map, and what is empty, are somebody's doing.
    const counts = isBlank(field) || !isDeclared(shape, name);
    const entry = claimed(field, fieldShape(shape, name) ?? UNTYPED, counts);
    if (entry === undefined) continue;
    out = out.with(fieldElement(name), entry);
    some = true;
  }
  return some ? out.set() : member ? NONE : undefined;
}

function claimedItems(items: readonly Json[], shape: Shape, member: boolean): FieldSet | undefined {
  if (items.length === 0) return member ? NONE : undefined;
  const out: Record<PathElement, FieldSet> = member ? { ".": NONE } : {};
  for (const item of items) {
    const element = itemElement(item, shape);
    // Twins cannot be told apart, so they are claimed as one.
    if (element !== undefined) out[element] = out[element] !== undefined ? NONE : claimed(item, shape.items ?? UNTYPED, true)!;
  }
  return ordered(out);
}

/** What a newcomer brings: every field of it, structs too. */
export function everything(value: Json, shape: Shape): FieldSet {
  if (value === null || typeof value !== "object") return NONE;
  if (!isObject(value)) return isGranularList(shape) ? allItems(value as readonly Json[], shape) : NONE;
  if (!isGranularMap(shape)) return NONE;
  let out = entries().with(".", NONE);
  let some = false;
  for (const name of sortedKeys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    out = out.with(fieldElement(name), everything(field, fieldShape(shape, name) ?? UNTYPED));
    some = true;
  }
  return some ? out.set() : NONE;
}

function allItems(items: readonly Json[], shape: Shape): FieldSet {
  if (items.length === 0) return NONE;
  const out: Record<PathElement, FieldSet> = { ".": NONE };
  for (const item of items) {
    const element = itemElement(item, shape);
    if (element !== undefined) out[element] = out[element] !== undefined ? NONE : everything(item, shape.items ?? UNTYPED);
  }
  return ordered(out);
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
