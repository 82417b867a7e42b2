import { isObject, type JsonObject } from "../kinds/index.ts";
import { asMember, type FieldSet, isEmpty, NONE, ordered, union } from "./field-set.ts";
import { type PathElement, parseElement } from "./path-element.ts";

/** Frozen JSON that was read before. */
const read = new WeakMap<object, FieldSet>();

/**
 * Reads `fieldsV1` that anybody may have written: in any order, with unknown elements, which are dropped. Throws when
 * it is malformed. A frozen set is read once, and comes back as it is when it is in order.
 */
export function fromFieldsV1(json: unknown): FieldSet {
  if (json === null || json === undefined) return NONE;
  if (!isObject(json)) throw new SyntaxError("fieldsV1 must be an object");
  const known = read.get(json);
  if (known !== undefined) return known;
  const { ".": _, ...set } = entryOf(json);
  const clean = Object.isFrozen(json) && isSame(set, json) ? (json as unknown as FieldSet) : set;
  if (Object.isFrozen(json)) read.set(json, clean);
  return clean;
}

function entryOf(json: unknown): FieldSet {
  if (json === null) return NONE;
  if (!isObject(json)) throw new SyntaxError("fieldsV1 has something other than an object inside");
  const out: Record<PathElement, FieldSet> = {};
  for (const text in json) {
    if (text === ".") continue;
    const element = parseElement(text);
    if (element === undefined) continue;
    const entry = entryOf(json[text]);
    const twin = out[element];
    out[element] = twin === undefined ? entry : union({ [element]: twin }, { [element]: entry })[element]!;
  }
  const set = isEmpty(out) ? NONE : ordered(out);
  return Object.hasOwn(json, ".") ? asMember(set) : set;
}

/** The same entries in the same order. */
function isSame(set: FieldSet, json: JsonObject | null): boolean {
  if (json === null) return false;
  const elements = Object.keys(set);
  const texts = Object.keys(json);
  return (
    elements.length === texts.length &&
    elements.every((element, i) => element === texts[i] && isSame(set[element]!, json[element] as JsonObject | null))
  );
}
