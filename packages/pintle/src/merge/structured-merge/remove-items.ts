import { isJsonObject, setOwnProperty } from "../../json/index.ts";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { type FieldSet, isEmptySet, isMember } from "../field-set/field-set.ts";
import { isAssociativeList, listItemElement } from "../field-set/list-items.ts";
import { fieldElement } from "../field-set/path-element.ts";
import { fieldShape, isGranularMap } from "../shape/shape-queries.ts";

/** Returns the object without the members of the set. A map or list that loses its last member becomes null, as in the API server. */
export function removeItems(object: JsonObject, set: FieldSet, shape: Shape): JsonObject {
  return (isEmptySet(set) ? object : removeFromValue(object, set, shape)) as JsonObject;
}

function removeFromValue(value: Json, set: FieldSet, shape: Shape): Json {
  if (Array.isArray(value)) return isAssociativeList(shape) ? nullIfEmpty(removeListItems(value as readonly Json[], set, shape)) : null;
  if (isJsonObject(value)) return isGranularMap(shape) ? removeFields(value, set, shape) : null;
  return value;
}

function removeFields(value: JsonObject, set: FieldSet, shape: Shape): Json {
  const out: Record<string, Json> = {};
  let changed = false;
  for (const [name, field] of Object.entries(value)) {
    const entry = set[fieldElement(name)];
    const isRemoved = entry !== undefined && isMember(entry);
    if (!isRemoved)
      setOwnProperty(out, name, entry === undefined ? field! : removeFromValue(field!, entry, fieldShape(shape, name) ?? UNTYPED_SHAPE));
    changed ||= isRemoved || out[name] !== field;
  }
  return !changed ? value : Object.keys(out).length === 0 ? null : out;
}

function removeListItems(items: readonly Json[], set: FieldSet, shape: Shape): readonly Json[] {
  const out = items.flatMap((item) => {
    const element = listItemElement(item, shape);
    const entry = element === undefined ? undefined : set[element];
    if (entry === undefined) return [item];
    return isMember(entry) ? [] : [removeFromValue(item, entry, shape.items ?? UNTYPED_SHAPE)];
  });
  return out.length === items.length && out.every((item, i) => item === items[i]) ? items : out;
}

function nullIfEmpty(items: readonly Json[]): Json {
  return items.length === 0 ? null : items;
}
