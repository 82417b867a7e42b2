import { isObject } from "../kinds/index.ts";
import { type FieldSet, isEmpty, NONE, ordered, union } from "./field-set.ts";
import { type PathElement, parseElement } from "./path-element.ts";

/** Sets that are known to be in order, by the frozen JSON they were read from. */
const read = new WeakMap<object, FieldSet>();

/** A set to be stored as `fieldsV1`. Reading it back, once frozen, costs nothing. */
export function toFieldsV1(set: FieldSet): FieldSet {
  read.set(set, set);
  return set;
}

/** Reads `fieldsV1` that anybody may have written: in any order, with unknown elements (which are dropped); throws when it is malformed. */
export function fromFieldsV1(json: unknown): FieldSet {
  if (!isObject(json)) {
    if (json === null || json === undefined) return NONE;
    throw new SyntaxError("fieldsV1 must be an object");
  }
  const known = read.get(json);
  if (known !== undefined) return known;
  const { inside } = entryOf(json);
  if (Object.isFrozen(json)) read.set(json, inside);
  return inside;
}

function entryOf(json: unknown): { readonly inside: FieldSet; readonly member: boolean } {
  if (json === null) return { inside: NONE, member: true };
  if (!isObject(json)) throw new SyntaxError("fieldsV1 has something other than an object inside");
  const out: Record<PathElement, FieldSet> = {};
  let member = false;
  for (const [text, value] of Object.entries(json)) {
    if (text === ".") {
      member = true;
      continue;
    }
    const element = parseElement(text);
    if (element === undefined) continue;
    const entry = entryOf(value);
    const set = entry.member && !isEmpty(entry.inside) ? { ".": NONE, ...entry.inside } : entry.inside;
    const twin = out[element];
    out[element] = twin === undefined ? set : (union({ [element]: twin }, { [element]: set })[element] as FieldSet);
  }
  return { inside: ordered(out), member: member || isEmpty(out) };
}
