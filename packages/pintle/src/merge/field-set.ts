import { entries } from "./entries.ts";
import { compareElements, elementText, fieldElement, type PathElement } from "./path-element.ts";

/**
 * A set of fields, in the very form `managedFields[].fieldsV1` has it: an entry per path element, what is inside it
 * nested; `{}` is a member without anything inside, and `"."` says that an entry with something inside is a member too.
 * Entries stand in the server's order. A FieldSet is never changed, so it is stored and sent as it is.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}
export type Path = readonly PathElement[];
type Building = Record<PathElement, FieldSet>;

/** The empty set; inside another one, a member with nothing inside. */
export const NONE: FieldSet = Object.freeze({});
const SELF = ".";

export const fieldPath = (...names: readonly string[]): Path => names.map(fieldElement);

export function fieldSet(...paths: readonly Path[]): FieldSet {
  return paths.reduce(insert, NONE);
}

export function insert(set: FieldSet, path: Path): FieldSet {
  if (path.length === 0) return set;
  return union(
    set,
    path.reduceRight<FieldSet>((inner, element) => ({ [element]: inner }), NONE),
  );
}

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Is the entry itself in the set, besides what is inside it? */
export function isMember(entry: FieldSet): boolean {
  return entry[SELF] !== undefined || isEmpty(entry);
}

/** The entry as a member, with the same inside. */
export function asMember(entry: FieldSet): FieldSet {
  return isMember(entry) ? entry : { [SELF]: NONE, ...entry };
}

export function has(set: FieldSet, path: Path): boolean {
  let entry: FieldSet | undefined = path.length === 0 ? undefined : set;
  for (const element of path) entry = entry?.[element];
  return entry !== undefined && isMember(entry);
}

/** Every member with its path; at each level first the members, then what is inside them. */
export function* paths(set: FieldSet, prefix: Path = []): Generator<Path> {
  const elements = Object.keys(set).filter((element) => element !== SELF);
  for (const element of elements) if (isMember(set[element]!)) yield [...prefix, element];
  for (const element of elements) yield* paths(set[element]!, [...prefix, element]);
}

/** `.spec.ports[port=80].name` */
export function pathText(path: Path): string {
  return path.map(elementText).join("");
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(a) ? b : isEmpty(b) ? a : unite(a, b);
}

/** The members of `a` that are not members of `b`. What is inside a member of `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(a) || isEmpty(b) ? a : (subtract(a, b, false) ?? NONE);
}

/** The members of `a` that are neither members of `b` nor inside one. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(a) || isEmpty(b) ? a : (subtract(a, b, true) ?? NONE);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(a) || isEmpty(b) ? NONE : (intersect(a, b) ?? NONE);
}

export function sameSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let surplus = 0;
  for (const element in a) {
    const other = b[element];
    if (other === undefined || !sameSet(a[element]!, other)) return false;
    surplus--;
  }
  for (const _ in b) surplus++;
  return surplus === 0;
}

/** The same entries in the server's order. */
export function ordered(set: FieldSet): FieldSet {
  const elements = Object.keys(set);
  for (let i = 1; i < elements.length; i++) {
    if (compareElements(elements[i - 1]!, elements[i]!) < 0) continue;
    elements.sort(compareElements);
    break;
  }
  let out = entries();
  for (const element of elements) out = out.with(element, set[element]!);
  return out.set();
}

function unite(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isEmpty(a)) return isEmpty(b) ? a : asMember(b);
  if (isEmpty(b)) return asMember(a);
  let out: Building | undefined;
  for (const element in b) {
    const mine = a[element];
    const both = mine === undefined ? b[element]! : unite(mine, b[element]!);
    if (both === mine) continue;
    out ??= { ...a };
    out[element] = both;
  }
  return out === undefined ? a : ordered(out);
}

/** undefined when nothing is left. */
function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet | undefined {
  const removed = isMember(b);
  if (removed && (recursive || isEmpty(a))) return undefined;
  return kept(a, (element, entry) => {
    if (element === SELF) return removed ? undefined : entry;
    const other = b[element];
    return other === undefined ? entry : subtract(entry, other, recursive);
  });
}

function intersect(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (a === b) return a;
  const both = isMember(a) && isMember(b);
  if (isEmpty(a)) return both ? NONE : undefined;
  const inside = kept(a, (element, entry) => {
    if (element === SELF) return both ? entry : undefined;
    const other = b[element];
    return other === undefined ? undefined : intersect(entry, other);
  });
  return inside ?? (both ? NONE : undefined);
}

/** What `keep` leaves of a set: the same object when that is all of it, undefined when no entry is left. */
function kept(set: FieldSet, keep: (element: PathElement, entry: FieldSet) => FieldSet | undefined): FieldSet | undefined {
  let out = entries();
  let changed = false;
  let member = false;
  let inside = false;
  for (const element in set) {
    const entry = set[element]!;
    const left = keep(element, entry);
    changed ||= left !== entry;
    if (left === undefined) continue;
    if (element === SELF) member = true;
    else inside = true;
    out = out.with(element, left);
  }
  if (!changed) return set;
  return inside ? out.set() : member ? NONE : undefined;
}
