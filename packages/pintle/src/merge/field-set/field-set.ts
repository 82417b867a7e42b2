import { fieldSetBuilder } from "./field-set-builder.ts";
import { comparePathElements, fieldElement, formatPathElement, type PathElement } from "./path-element.ts";

/**
 * A set of fields in the form of `managedFields[].fieldsV1`: one entry per path element, nested. `{}` is a member without members inside;
 * `"."` marks an entry with members inside as a member itself. Entries are in the API server's order. A FieldSet is immutable, so it is
 * stored and sent without a copy.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}
/** The path of a field from the root of an object. */
export type FieldSetPath = readonly PathElement[];
type MutableFieldSet = Record<PathElement, FieldSet>;

/** The empty set. Inside another set: a member without members inside. */
export const EMPTY_FIELD_SET: FieldSet = Object.freeze({});
const SELF_ELEMENT = ".";

/** Returns the path of nested fields: `fieldSetPath("spec", "replicas")`. */
export const fieldSetPath = (...names: readonly string[]): FieldSetPath => names.map(fieldElement);

/** Returns the set of these paths. */
export function buildFieldSet(...paths: readonly FieldSetPath[]): FieldSet {
  return paths.reduce(insertPath, EMPTY_FIELD_SET);
}

/** Returns the set with one more member. */
export function insertPath(set: FieldSet, path: FieldSetPath): FieldSet {
  if (path.length === 0) return set;
  return union(
    set,
    path.reduceRight<FieldSet>((inner, element) => ({ [element]: inner }), EMPTY_FIELD_SET),
  );
}

/** Whether the set has no entries. */
export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the entry itself is a member, in addition to the members inside it. */
export function isMember(entry: FieldSet): boolean {
  return entry[SELF_ELEMENT] !== undefined || isEmptySet(entry);
}

/** Returns the entry as a member, with the same members inside. */
export function toMember(entry: FieldSet): FieldSet {
  return isMember(entry) ? entry : { [SELF_ELEMENT]: EMPTY_FIELD_SET, ...entry };
}

/** Whether the field at this path is a member. */
export function hasPath(set: FieldSet, path: FieldSetPath): boolean {
  let entry: FieldSet | undefined = path.length === 0 ? undefined : set;
  for (const element of path) entry = entry?.[element];
  return entry !== undefined && isMember(entry);
}

/** Yields the path of every member: at each level first the members, then the members inside them. */
export function* iteratePaths(set: FieldSet, prefix: FieldSetPath = []): Generator<FieldSetPath> {
  const elements = Object.keys(set).filter((element) => element !== SELF_ELEMENT);
  for (const element of elements) if (isMember(set[element]!)) yield [...prefix, element];
  for (const element of elements) yield* iteratePaths(set[element]!, [...prefix, element]);
}

/** Formats a path as in the API server's messages: `.spec.ports[port=80].name`. */
export function formatPath(path: FieldSetPath): string {
  return path.map(formatPathElement).join("");
}

/** Returns the members of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  return isEmptySet(a) ? b : isEmptySet(b) ? a : uniteSets(a, b);
}

/** Returns the members of any of many sets. */
export function unionAll(sets: readonly FieldSet[]): FieldSet {
  if (sets.length < 2) return sets[0] ?? EMPTY_FIELD_SET;
  const entries = new Map<PathElement, FieldSet[]>();
  for (const set of sets) {
    for (const element in set) {
      const found = entries.get(element);
      if (found === undefined) entries.set(element, [set[element]!]);
      else found.push(set[element]!);
    }
  }
  const united: MutableFieldSet = {};
  for (const [element, found] of entries) united[element] = found.length === 1 ? found[0]! : uniteEntries(found);
  return sortFieldSet(united);
}

/** Unites the entries of one element: it is a member if it is one in any of the sets. */
function uniteEntries(entries: readonly FieldSet[]): FieldSet {
  const united = unionAll(entries);
  return !isEmptySet(united) && entries.some(isMember) ? toMember(united) : united;
}

/** Returns the members of `a` that are not members of `b`. Members inside a member of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmptySet(a) || isEmptySet(b) ? a : (subtractSet(a, b, false) ?? EMPTY_FIELD_SET);
}

/** Returns the members of `a` that are neither members of `b` nor inside one. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmptySet(a) || isEmptySet(b) ? a : (subtractSet(a, b, true) ?? EMPTY_FIELD_SET);
}

/** Returns the members of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return isEmptySet(a) || isEmptySet(b) ? EMPTY_FIELD_SET : (intersectSets(a, b) ?? EMPTY_FIELD_SET);
}

/** Whether both sets have the same members. */
export function isSameSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let surplus = 0;
  for (const element in a) {
    const other = b[element];
    if (other === undefined || !isSameSet(a[element]!, other)) return false;
    surplus--;
  }
  for (const _ in b) surplus++;
  return surplus === 0;
}

/** Returns the same entries in the API server's order. */
export function sortFieldSet(set: FieldSet): FieldSet {
  const elements = Object.keys(set);
  for (let i = 1; i < elements.length; i++) {
    if (comparePathElements(elements[i - 1]!, elements[i]!) < 0) continue;
    elements.sort(comparePathElements);
    break;
  }
  let out = fieldSetBuilder();
  for (const element of elements) out = out.with(element, set[element]!);
  return out.build();
}

function uniteSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isEmptySet(a)) return isEmptySet(b) ? a : toMember(b);
  if (isEmptySet(b)) return toMember(a);
  let out: MutableFieldSet | undefined;
  for (const element in b) {
    const mine = a[element];
    const both = mine === undefined ? b[element]! : uniteSets(mine, b[element]!);
    if (both === mine) continue;
    out ??= { ...a };
    out[element] = both;
  }
  return out === undefined ? a : sortFieldSet(out);
}

/** Returns undefined when no member is left. */
function subtractSet(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet | undefined {
  const removed = isMember(b);
  if (removed && (recursive || isEmptySet(a))) return undefined;
  return filterEntries(a, (element, entry) => {
    if (element === SELF_ELEMENT) return removed ? undefined : entry;
    const other = b[element];
    return other === undefined ? entry : subtractSet(entry, other, recursive);
  });
}

function intersectSets(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (a === b) return a;
  const both = isMember(a) && isMember(b);
  if (isEmptySet(a)) return both ? EMPTY_FIELD_SET : undefined;
  const inside = filterEntries(a, (element, entry) => {
    if (element === SELF_ELEMENT) return both ? entry : undefined;
    const other = b[element];
    return other === undefined ? undefined : intersectSets(entry, other);
  });
  return inside ?? (both ? EMPTY_FIELD_SET : undefined);
}

/** Maps the entries of a set with `keep`. Returns the same object when nothing changes, undefined when no entry is left. */
function filterEntries(set: FieldSet, keep: (element: PathElement, entry: FieldSet) => FieldSet | undefined): FieldSet | undefined {
  let out = fieldSetBuilder();
  let changed = false;
  let member = false;
  let inside = false;
  for (const element in set) {
    const entry = set[element]!;
    const left = keep(element, entry);
    changed ||= left !== entry;
    if (left === undefined) continue;
    if (element === SELF_ELEMENT) member = true;
    else inside = true;
    out = out.with(element, left);
  }
  if (!changed) return set;
  return inside ? out.build() : member ? EMPTY_FIELD_SET : undefined;
}
