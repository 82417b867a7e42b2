import { isJsonObject } from "../../json/index.ts";
import type { JsonObject } from "../../kinds/index.ts";
import { EMPTY_FIELD_SET, type FieldSet, isEmptySet, sortFieldSet, toMember, union } from "./field-set.ts";
import { type PathElement, parsePathElement } from "./path-element.ts";

/** The sets of frozen JSON that was parsed before. */
const parsedSets = new WeakMap<object, FieldSet>();

/**
 * Parses `fieldsV1` of any client: entries may be in any order, and unknown elements are dropped. Throws `SyntaxError` if it is malformed.
 * A frozen object is parsed once, and is returned itself when its entries are in order.
 */
export function parseFieldsV1(json: unknown): FieldSet {
  if (json === null || json === undefined) return EMPTY_FIELD_SET;
  if (!isJsonObject(json)) throw new SyntaxError("fieldsV1 must be an object");
  const known = parsedSets.get(json);
  if (known !== undefined) return known;
  const { ".": _, ...set } = parseEntry(json);
  const clean = Object.isFrozen(json) && isIdentical(set, json) ? (json as unknown as FieldSet) : set;
  if (Object.isFrozen(json)) parsedSets.set(json, clean);
  return clean;
}

function parseEntry(json: unknown): FieldSet {
  if (json === null) return EMPTY_FIELD_SET;
  if (!isJsonObject(json)) throw new SyntaxError("fieldsV1 contains a value that is not an object");
  const out: Record<PathElement, FieldSet> = {};
  for (const text in json) {
    if (text === ".") continue;
    const element = parsePathElement(text);
    if (element === undefined) continue;
    const entry = parseEntry(json[text]);
    const duplicate = out[element];
    out[element] = duplicate === undefined ? entry : union({ [element]: duplicate }, { [element]: entry })[element]!;
  }
  const set = isEmptySet(out) ? EMPTY_FIELD_SET : sortFieldSet(out);
  return Object.hasOwn(json, ".") ? toMember(set) : set;
}

/** Whether both have the same entries in the same order. */
function isIdentical(set: FieldSet, json: JsonObject | null): boolean {
  if (json === null) return false;
  const elements = Object.keys(set);
  const texts = Object.keys(json);
  return (
    elements.length === texts.length &&
    elements.every((element, i) => element === texts[i] && isIdentical(set[element]!, json[element] as JsonObject | null))
  );
}
