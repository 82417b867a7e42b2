import { isJsonObject } from "../../json/index.ts";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { sortKeys } from "../canonical-json.ts";
import { allowsMap, allowsScalar, fieldShape, isDeclaredField, isGranularMap } from "../shape/shape-queries.ts";
import { EMPTY_FIELD_SET, type FieldSet, sortFieldSet } from "./field-set.ts";
import { fieldSetBuilder } from "./field-set-builder.ts";
import { isAssociativeList, listItemElement } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/** Returns the set of all fields and items in a value: the fields that a manager owns by applying it. */
export function toFieldSet(value: JsonObject, shape: Shape): FieldSet {
  return valueFields(value, shape, false) ?? EMPTY_FIELD_SET;
}

/** Returns undefined if the value has no members; with `member`, the value itself is one. */
function valueFields(value: Json, shape: Shape, member: boolean): FieldSet | undefined {
  if (value === null) return member || isLeafWhenNull(shape) ? EMPTY_FIELD_SET : undefined;
  if (typeof value !== "object") return EMPTY_FIELD_SET;
  if (!isJsonObject(value)) return isAssociativeList(shape) ? listFields(value as readonly Json[], shape, member) : EMPTY_FIELD_SET;
  return isGranularMap(shape) ? objectFields(value, shape, member) : EMPTY_FIELD_SET;
}

function objectFields(value: JsonObject, shape: Shape, member: boolean): FieldSet | undefined {
  let out = member ? fieldSetBuilder().with(".", EMPTY_FIELD_SET) : fieldSetBuilder();
  let some = false;
  for (const name of sortKeys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    // A struct field is not a member itself; the key of a map is, and so is an empty value.
    const counts = isEmptyOrNull(field) || !isDeclaredField(shape, name);
    const entry = valueFields(field, fieldShape(shape, name) ?? UNTYPED_SHAPE, counts);
    if (entry === undefined) continue;
    out = out.with(fieldElement(name), entry);
    some = true;
  }
  return some ? out.build() : member ? EMPTY_FIELD_SET : undefined;
}

function listFields(items: readonly Json[], shape: Shape, member: boolean): FieldSet | undefined {
  if (items.length === 0) return member ? EMPTY_FIELD_SET : undefined;
  const out: Record<PathElement, FieldSet> = member ? { ".": EMPTY_FIELD_SET } : {};
  for (const item of items) {
    const element = listItemElement(item, shape);
    // Duplicates are one member.
    if (element !== undefined)
      out[element] = out[element] !== undefined ? EMPTY_FIELD_SET : valueFields(item, shape.items ?? UNTYPED_SHAPE, true)!;
  }
  return sortFieldSet(out);
}

/** Returns the set of all fields of an added value, structs included. */
export function allFields(value: Json, shape: Shape): FieldSet {
  if (value === null || typeof value !== "object") return EMPTY_FIELD_SET;
  if (!isJsonObject(value)) return isAssociativeList(shape) ? allListFields(value as readonly Json[], shape) : EMPTY_FIELD_SET;
  if (!isGranularMap(shape)) return EMPTY_FIELD_SET;
  let out = fieldSetBuilder().with(".", EMPTY_FIELD_SET);
  let some = false;
  for (const name of sortKeys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    out = out.with(fieldElement(name), allFields(field, fieldShape(shape, name) ?? UNTYPED_SHAPE));
    some = true;
  }
  return some ? out.build() : EMPTY_FIELD_SET;
}

function allListFields(items: readonly Json[], shape: Shape): FieldSet {
  if (items.length === 0) return EMPTY_FIELD_SET;
  const out: Record<PathElement, FieldSet> = { ".": EMPTY_FIELD_SET };
  for (const item of items) {
    const element = listItemElement(item, shape);
    if (element !== undefined) out[element] = out[element] !== undefined ? EMPTY_FIELD_SET : allFields(item, shape.items ?? UNTYPED_SHAPE);
  }
  return sortFieldSet(out);
}

function isLeafWhenNull(shape: Shape): boolean {
  if (allowsMap(shape)) return shape.atomic === true;
  return allowsScalar(shape) || !isAssociativeList(shape);
}

function isEmptyOrNull(value: Json): boolean {
  if (value === null) return true;
  if (!isJsonObject(value)) return false;
  for (const _ in value) return false;
  return true;
}
