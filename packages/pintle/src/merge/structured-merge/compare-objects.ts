import { isJsonObject } from "../../json/index.ts";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { EMPTY_FIELD_SET, type FieldSet, union } from "../field-set/field-set.ts";
import { fieldSetBuilder } from "../field-set/field-set-builder.ts";
import { isAssociativeList, listItemElement } from "../field-set/list-items.ts";
import { comparePathElements, fieldElement, type PathElement } from "../field-set/path-element.ts";
import { allFields } from "../field-set/to-field-set.ts";
import { isJsonEqual } from "../json-equal.ts";
import { allowsMap, allowsScalar, fieldShape } from "../shape/shape-queries.ts";

/** The fields that differ between two states of an object. No field is in more than one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}
/** The comparison of one value inside an object. An absent set is empty; `EMPTY_FIELD_SET` stands for the value itself. */
type PartialComparison = { -readonly [K in keyof Comparison]?: FieldSet };
const CHANGE_KINDS = ["added", "modified", "removed"] as const;

/** Compares two states of an object field by field. Values that both states share by identity are skipped, so small changes are cheap. */
export function compareObjects(before: JsonObject, after: JsonObject, shape: Shape): Comparison {
  const { added = EMPTY_FIELD_SET, modified = EMPTY_FIELD_SET, removed = EMPTY_FIELD_SET } = compareValues(before, after, shape) ?? {};
  return { added, modified, removed };
}

function compareValues(before: Json | undefined, after: Json | undefined, shape: Shape): PartialComparison | undefined {
  if (before === after) return undefined;
  if (before === undefined) return { added: allFields(after!, shape) };
  if (after === undefined) return { removed: allFields(before, shape) };
  const left = valueForm(before, shape);
  const right = valueForm(after, shape);
  const delta = compareAs(right, before, after, shape);
  // A value that changed its form is compared once in each form.
  return left === right ? delta : combineComparisons(compareAs(left, before, after, shape), delta);
}

type ValueForm = "map" | "list" | "leaf";

function valueForm(value: Json, shape: Shape): ValueForm {
  if (value === null) return allowsMap(shape) ? "map" : allowsScalar(shape) ? "leaf" : "list";
  if (typeof value !== "object") return "leaf";
  return Array.isArray(value) ? "list" : "map";
}

function compareAs(form: ValueForm, before: Json, after: Json, shape: Shape): PartialComparison | undefined {
  if (form === "map" && allowsMap(shape) && !shape.atomic) {
    const left = isJsonObject(before) ? before : EMPTY_OBJECT;
    const right = isJsonObject(after) ? after : EMPTY_OBJECT;
    if (hasFields(left) || hasFields(right)) return compareFields(left, right, shape);
  }
  if (form === "list" && isAssociativeList(shape)) {
    const left = Array.isArray(before) ? (before as readonly Json[]) : [];
    const right = Array.isArray(after) ? (after as readonly Json[]) : [];
    if (left.length + right.length > 0) return compareItems(left, right, shape);
  }
  return isJsonEqual(before, after) ? undefined : { modified: EMPTY_FIELD_SET };
}

const EMPTY_OBJECT: JsonObject = {};

function hasFields(value: JsonObject): boolean {
  for (const _ in value) return true;
  return false;
}

function compareFields(before: JsonObject, after: JsonObject, shape: Shape): PartialComparison | undefined {
  const sum = new ComparisonBuilder();
  for (const name in after)
    sum.add(fieldElement(name), compareValues(ownField(before, name), after[name], fieldShape(shape, name) ?? UNTYPED_SHAPE));
  for (const name in before) {
    if (ownField(after, name) === undefined)
      sum.add(fieldElement(name), compareValues(before[name], undefined, fieldShape(shape, name) ?? UNTYPED_SHAPE));
  }
  return sum.build();
}

function compareItems(before: readonly Json[], after: readonly Json[], shape: Shape): PartialComparison | undefined {
  const left = groupByElement(before, shape);
  const right = groupByElement(after, shape);
  const sum = new ComparisonBuilder();
  for (const [element, items] of right) sum.add(element, compareDuplicates(left.get(element) ?? [], items, shape.items ?? UNTYPED_SHAPE));
  for (const [element, items] of left)
    if (!right.has(element)) sum.add(element, compareDuplicates(items, [], shape.items ?? UNTYPED_SHAPE));
  return sum.build();
}

/** Compares list items with the same path element. Usually there is one; duplicates are compared as a whole. */
function compareDuplicates(before: readonly Json[], after: readonly Json[], shape: Shape): PartialComparison | undefined {
  if (before.length <= 1 && after.length <= 1) return compareValues(before[0], after[0], shape);
  if (before.length > 1 && after.length > 1) return isJsonEqual(before, after) ? undefined : { modified: EMPTY_FIELD_SET };
  if (before.length > 1) return combineComparisons({ removed: EMPTY_FIELD_SET }, compareValues(undefined, after[0], shape));
  return combineComparisons({ added: EMPTY_FIELD_SET }, compareValues(before[0], undefined, shape));
}

function groupByElement(items: readonly Json[], shape: Shape): Map<PathElement, Json[]> {
  const found = new Map<PathElement, Json[]>();
  for (const item of items) {
    const element = listItemElement(item, shape);
    if (element === undefined) continue;
    const duplicates = found.get(element);
    if (duplicates === undefined) found.set(element, [item]);
    else duplicates.push(item);
  }
  return found;
}

function combineComparisons(a: PartialComparison | undefined, b: PartialComparison | undefined): PartialComparison | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const out: PartialComparison = {};
  for (const kind of CHANGE_KINDS) {
    const mine = a[kind];
    const theirs = b[kind];
    const both = mine === undefined || theirs === undefined ? (mine ?? theirs) : unionEntries(mine, theirs);
    if (both !== undefined) out[kind] = both;
  }
  return out;
}

/** The union of two entries, where an empty entry is a member. */
function unionEntries(a: FieldSet, b: FieldSet): FieldSet {
  return union({ "f:": a }, { "f:": b })["f:"]!;
}

/** Collects the comparisons of the fields of one map or the items of one list. */
class ComparisonBuilder {
  #parts: { readonly element: PathElement; readonly delta: PartialComparison }[] = [];
  #inOrder = true;

  add(element: PathElement, delta: PartialComparison | undefined): void {
    if (delta === undefined) return;
    const last = this.#parts.at(-1);
    if (last !== undefined && this.#inOrder) this.#inOrder = comparePathElements(last.element, element) < 0;
    this.#parts.push({ element, delta });
  }

  build(): PartialComparison | undefined {
    if (this.#parts.length === 0) return undefined;
    if (!this.#inOrder) this.#parts.sort((a, b) => comparePathElements(a.element, b.element));
    const out: PartialComparison = {};
    for (const kind of CHANGE_KINDS) {
      let found = false;
      let sum = fieldSetBuilder();
      for (const { element, delta } of this.#parts) {
        const part = delta[kind];
        if (part === undefined) continue;
        sum = sum.with(element, part);
        found = true;
      }
      if (found) out[kind] = sum.build();
    }
    return out;
  }
}

function ownField(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
