import { isJsonObject } from "../../json/index.ts";
import type { Json, JsonObject, ManagedFieldsEntry } from "../../kinds/index.ts";
import { EMPTY_FIELD_SET, type FieldSet, union } from "../field-set/field-set.ts";
import { parseFieldsV1 } from "../field-set/fields-v1.ts";
import { fieldElement, keyElement, type PathElement, valueElement } from "../field-set/path-element.ts";

/** One entry of `managedFields` with its field set parsed. */
export interface FieldManagerEntry {
  readonly entry: ManagedFieldsEntry;
  readonly fields: FieldSet;
}

/** Returns the entries of `managedFields`; malformed ones, which an API server never stores, own nothing. */
export function parseManagers(object: JsonObject | undefined): readonly FieldManagerEntry[] {
  const metadata = object?.metadata as { readonly managedFields?: readonly ManagedFieldsEntry[] } | undefined;
  return (metadata?.managedFields ?? []).map((entry) => ({ entry, fields: parseOrEmpty(entry.fieldsV1) }));
}

/** Returns all fields that any manager of any of the objects owns: they tell how lists are keyed, without a schema. */
export function unionOfManagers(...objects: readonly (JsonObject | undefined)[]): FieldSet {
  return objects.flatMap(parseManagers).reduce((all, { fields }) => union(all, fields), EMPTY_FIELD_SET);
}

/**
 * Returns the parts of a value that can have managers of their own, by path element: the fields of an object, and the items of a list that is
 * owned item by item (by keys or by value). Undefined for any other value, and where two items would have the same element.
 */
export function takeApart(value: Json | undefined, owned: FieldSet | undefined): ReadonlyMap<PathElement, Json> | undefined {
  if (isJsonObject(value)) return new Map(Object.entries(value).map(([name, field]) => [fieldElement(name), field as Json]));
  if (!Array.isArray(value)) return undefined;
  const known = Object.keys(owned ?? EMPTY_FIELD_SET).find((element) => element.startsWith("k:") || element.startsWith("v:"));
  if (known === undefined) return undefined;
  const items = new Map<PathElement, Json>();
  for (const item of value as readonly Json[]) {
    const element = elementLike(known, item);
    if (element === undefined || items.has(element)) return undefined;
    items.set(element, item);
  }
  return items;
}

/** Returns the element of an item in the form of a known one. */
function elementLike(known: PathElement, item: Json): PathElement | undefined {
  if (known.startsWith("v:")) return valueElement(item);
  if (!isJsonObject(item)) return undefined;
  const keys = Object.keys(JSON.parse(known.slice(2)) as object).sort();
  return keyElement(keys, (key) => item[key]);
}

function parseOrEmpty(fieldsV1: unknown): FieldSet {
  try {
    return parseFieldsV1(fieldsV1);
  } catch (error) {
    if (error instanceof SyntaxError) return EMPTY_FIELD_SET;
    throw error;
  }
}
