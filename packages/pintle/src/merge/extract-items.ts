import { isObject, type Json, type JsonObject, type Shape, setOwn, UNTYPED } from "../kinds/index.ts";
import { type FieldSet, isEmpty, union } from "./field-set.ts";
import { isGranularList, itemElement } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { fieldShape, isGranularMap } from "./shape-at.ts";

/** Only what the set names, with the keys of the list items on the way: what one manager would have to apply to own the same. */
export function extractItems(object: JsonObject, set: FieldSet, shape: Shape): JsonObject {
  const found = extracted(object, withKeys(set), shape);
  return isObject(found) ? found : {};
}

function extracted(value: Json, set: FieldSet, shape: Shape): Json {
  if (Array.isArray(value)) return isGranularList(shape) ? extractedItems(value as readonly Json[], set, shape) : value;
  if (!isObject(value) || !isGranularMap(shape)) return value;
  const out: Record<string, Json> = {};
  for (const [name, field] of Object.entries(value)) {
    const entry = set[fieldElement(name)];
    if (entry !== undefined) setOwn(out, name, part(field!, entry, fieldShape(shape, name) ?? UNTYPED));
  }
  return out;
}

function extractedItems(items: readonly Json[], set: FieldSet, shape: Shape): Json {
  return items.flatMap((item) => {
    const element = itemElement(item, shape);
    const entry = element === undefined ? undefined : set[element];
    return entry === undefined ? [] : [part(item, entry, shape.items ?? UNTYPED)];
  });
}

function part(value: Json, entry: FieldSet, shape: Shape): Json {
  // A struct or map that is owned by itself, with nothing inside owned, is there but empty.
  if (isEmpty(entry) && isObject(value) && isGranularMap(shape)) return {};
  return extracted(value, entry, shape);
}

function withKeys(set: FieldSet): FieldSet {
  const out: Record<PathElement, FieldSet> = {};
  for (const [element, entry] of Object.entries(set)) {
    const inner = withKeys(entry);
    out[element] = element.startsWith("k:") ? union(inner, keyFields(element)) : inner;
  }
  return out;
}

function keyFields(element: PathElement): FieldSet {
  const keys = Object.keys(JSON.parse(element.slice(2)) as JsonObject);
  return Object.fromEntries(keys.map((key) => [fieldElement(key), {}]));
}
