import { isObject, type Json, type JsonObject, type Shape, UNTYPED } from "../kinds/index.ts";
import { entries } from "./entries.ts";
import { equal } from "./equal.ts";
import { type FieldSet, NONE, union } from "./field-set.ts";
import { isGranularList, itemElement } from "./list-items.ts";
import { compareElements, fieldElement, type PathElement } from "./path-element.ts";
import { fieldShape, hasMap, hasScalar } from "./shape-at.ts";
import { everything } from "./to-field-set.ts";

/** What happened between two states of an object. No field is in more than one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}
/** The same for one part of an object; a set that is not there is empty, `NONE` is the part itself. */
type Delta = { -readonly [K in keyof Comparison]?: FieldSet };
const KINDS = ["added", "modified", "removed"] as const;

/** Parts that the two states share by identity are not looked at: a small change to a big object is cheap to compare. */
export function compare(before: JsonObject, after: JsonObject, shape: Shape): Comparison {
  const { added = NONE, modified = NONE, removed = NONE } = changes(before, after, shape) ?? {};
  return { added, modified, removed };
}

function changes(before: Json | undefined, after: Json | undefined, shape: Shape): Delta | undefined {
  if (before === after) return undefined;
  if (before === undefined) return { added: everything(after!, shape) };
  if (after === undefined) return { removed: everything(before, shape) };
  const left = formOf(before, shape);
  const right = formOf(after, shape);
  const delta = changesAs(right, before, after, shape);
  // A value that changed its form is compared once in either of them.
  return left === right ? delta : combined(changesAs(left, before, after, shape), delta);
}

type Form = "map" | "list" | "leaf";

function formOf(value: Json, shape: Shape): Form {
  if (value === null) return hasMap(shape) ? "map" : hasScalar(shape) ? "leaf" : "list";
  if (typeof value !== "object") return "leaf";
  return Array.isArray(value) ? "list" : "map";
}

function changesAs(form: Form, before: Json, after: Json, shape: Shape): Delta | undefined {
  if (form === "map" && hasMap(shape) && !shape.atomic) {
    const left = isObject(before) ? before : NOTHING;
    const right = isObject(after) ? after : NOTHING;
    if (hasFields(left) || hasFields(right)) return changedFields(left, right, shape);
  }
  if (form === "list" && isGranularList(shape)) {
    const left = Array.isArray(before) ? (before as readonly Json[]) : [];
    const right = Array.isArray(after) ? (after as readonly Json[]) : [];
    if (left.length + right.length > 0) return changedItems(left, right, shape);
  }
  return equal(before, after) ? undefined : { modified: NONE };
}

const NOTHING: JsonObject = {};

function hasFields(value: JsonObject): boolean {
  for (const _ in value) return true;
  return false;
}

function changedFields(before: JsonObject, after: JsonObject, shape: Shape): Delta | undefined {
  const sum = new Sum();
  for (const name in after) sum.add(fieldElement(name), changes(own(before, name), after[name], fieldShape(shape, name) ?? UNTYPED));
  for (const name in before) {
    if (own(after, name) === undefined) sum.add(fieldElement(name), changes(before[name], undefined, fieldShape(shape, name) ?? UNTYPED));
  }
  return sum.delta();
}

function changedItems(before: readonly Json[], after: readonly Json[], shape: Shape): Delta | undefined {
  const left = byElement(before, shape);
  const right = byElement(after, shape);
  const sum = new Sum();
  for (const [element, items] of right) sum.add(element, changedTwins(left.get(element) ?? [], items, shape.items ?? UNTYPED));
  for (const [element, items] of left) if (!right.has(element)) sum.add(element, changedTwins(items, [], shape.items ?? UNTYPED));
  return sum.delta();
}

/** Items with the same element: one is the rule; several cannot be told apart and count as one piece. */
function changedTwins(before: readonly Json[], after: readonly Json[], shape: Shape): Delta | undefined {
  if (before.length <= 1 && after.length <= 1) return changes(before[0], after[0], shape);
  if (before.length > 1 && after.length > 1) return equal(before, after) ? undefined : { modified: NONE };
  if (before.length > 1) return combined({ removed: NONE }, changes(undefined, after[0], shape));
  return combined({ added: NONE }, changes(before[0], undefined, shape));
}

function byElement(items: readonly Json[], shape: Shape): Map<PathElement, Json[]> {
  const found = new Map<PathElement, Json[]>();
  for (const item of items) {
    const element = itemElement(item, shape);
    if (element === undefined) continue;
    const twins = found.get(element);
    if (twins === undefined) found.set(element, [item]);
    else twins.push(item);
  }
  return found;
}

function combined(a: Delta | undefined, b: Delta | undefined): Delta | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const out: Delta = {};
  for (const kind of KINDS) {
    const mine = a[kind];
    const theirs = b[kind];
    const both = mine === undefined || theirs === undefined ? (mine ?? theirs) : inside(mine, theirs);
    if (both !== undefined) out[kind] = both;
  }
  return out;
}

/** The union of two entries, where empty means a member. */
function inside(a: FieldSet, b: FieldSet): FieldSet {
  return union({ "f:": a }, { "f:": b })["f:"]!;
}

/** Collects what happened to the parts of one map or list. */
class Sum {
  #parts: { readonly element: PathElement; readonly delta: Delta }[] = [];
  #inOrder = true;

  add(element: PathElement, delta: Delta | undefined): void {
    if (delta === undefined) return;
    const last = this.#parts.at(-1);
    if (last !== undefined && this.#inOrder) this.#inOrder = compareElements(last.element, element) < 0;
    this.#parts.push({ element, delta });
  }

  delta(): Delta | undefined {
    if (this.#parts.length === 0) return undefined;
    if (!this.#inOrder) this.#parts.sort((a, b) => compareElements(a.element, b.element));
    const out: Delta = {};
    for (const kind of KINDS) {
      let found = false;
      let sum = entries();
      for (const { element, delta } of this.#parts) {
        const part = delta[kind];
        if (part === undefined) continue;
        sum = sum.with(element, part);
        found = true;
      }
      if (found) out[kind] = sum.set();
    }
    return out;
  }
}

function own(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
