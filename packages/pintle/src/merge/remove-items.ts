import { isObject, type Json, type JsonObject, type Shape, setOwn, UNTYPED } from "../kinds/index.ts";
import { type FieldSet, isEmpty, isMember } from "./field-set.ts";
import { isGranularList, itemElement } from "./list-items.ts";
import { fieldElement } from "./path-element.ts";
import { fieldShape, isGranularMap } from "./shape-at.ts";

/** The object without the members of the set. A map or list that loses its last part becomes null, as the server has it. */
export function removeItems(object: JsonObject, set: FieldSet, shape: Shape): JsonObject {
  return (isEmpty(set) ? object : removed(object, set, shape)) as JsonObject;
}

function removed(value: Json, set: FieldSet, shape: Shape): Json {
  if (Array.isArray(value)) return isGranularList(shape) ? orNull(removedItems(value as readonly Json[], set, shape)) : null;
  if (isObject(value)) return isGranularMap(shape) ? removedFields(value, set, shape) : null;
  return value;
}

function removedFields(value: JsonObject, set: FieldSet, shape: Shape): Json {
  const out: Record<string, Json> = {};
  let changed = false;
  for (const [name, field] of Object.entries(value)) {
    const entry = set[fieldElement(name)];
    const gone = entry !== undefined && isMember(entry);
    if (!gone) setOwn(out, name, entry === undefined ? field! : removed(field!, entry, fieldShape(shape, name) ?? UNTYPED));
    changed ||= gone || out[name] !== field;
  }
  return !changed ? value : Object.keys(out).length === 0 ? null : out;
}

function removedItems(items: readonly Json[], set: FieldSet, shape: Shape): readonly Json[] {
  const out = items.flatMap((item) => {
    const element = itemElement(item, shape);
    const entry = element === undefined ? undefined : set[element];
    if (entry === undefined) return [item];
    return isMember(entry) ? [] : [removed(item, entry, shape.items ?? UNTYPED)];
  });
  return out.length === items.length && out.every((item, i) => item === items[i]) ? items : out;
}

function orNull(items: readonly Json[]): Json {
  return items.length === 0 ? null : items;
}
