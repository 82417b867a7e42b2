import { isJsonObject, setOwnProperty } from "../../json/index.ts";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { type FieldSet, isEmptySet, union } from "../field-set/field-set.ts";
import { isAssociativeList, listItemElement } from "../field-set/list-items.ts";
import { fieldElement, type PathElement } from "../field-set/path-element.ts";
import { fieldShape, isGranularMap } from "../shape/shape-queries.ts";

/**
 * Returns the fields of the set, with the key fields of the list items that contain them: the configuration that a field manager would
 * apply to own the same fields.
 */
export function extractItems(object: JsonObject, set: FieldSet, shape: Shape): JsonObject {
  const found = extractValue(object, withKeyFields(set), shape);
  return isJsonObject(found) ? found : {};
}

function extractValue(value: Json, set: FieldSet, shape: Shape): Json {
  if (Array.isArray(value)) return isAssociativeList(shape) ? extractListItems(value as readonly Json[], set, shape) : value;
  if (!isJsonObject(value) || !isGranularMap(shape)) return value;
  const out: Record<string, Json> = {};
  for (const [name, field] of Object.entries(value)) {
    const entry = set[fieldElement(name)];
    if (entry !== undefined) setOwnProperty(out, name, extractMember(field!, entry, fieldShape(shape, name) ?? UNTYPED_SHAPE));
  }
  return out;
}

function extractListItems(items: readonly Json[], set: FieldSet, shape: Shape): Json {
  return items.flatMap((item) => {
    const element = listItemElement(item, shape);
    const entry = element === undefined ? undefined : set[element];
    return entry === undefined ? [] : [extractMember(item, entry, shape.items ?? UNTYPED_SHAPE)];
  });
}

function extractMember(value: Json, entry: FieldSet, shape: Shape): Json {
  // A struct or map that is a member without members inside is extracted empty.
  if (isEmptySet(entry) && isJsonObject(value) && isGranularMap(shape)) return {};
  return extractValue(value, entry, shape);
}

function withKeyFields(set: FieldSet): FieldSet {
  const out: Record<PathElement, FieldSet> = {};
  for (const [element, entry] of Object.entries(set)) {
    const inner = withKeyFields(entry);
    out[element] = element.startsWith("k:") ? union(inner, keyFields(element)) : inner;
  }
  return out;
}

function keyFields(element: PathElement): FieldSet {
  const keys = Object.keys(JSON.parse(element.slice(2)) as JsonObject);
  return Object.fromEntries(keys.map((key) => [fieldElement(key), {}]));
}
