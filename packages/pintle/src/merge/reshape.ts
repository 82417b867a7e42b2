import { type Shape, UNTYPED } from "../kinds/index.ts";
import { type FieldSet, isEmpty, NONE } from "./field-set.ts";
import { isGranularList } from "./list-items.ts";
import type { PathElement } from "./path-element.ts";
import { fieldShape, hasMap, hasScalar } from "./shape-at.ts";

/** A set follows its schema: what became atomic since the set was written is owned as a whole from now on. */
export function reshape(set: FieldSet, shape: Shape): FieldSet {
  let out: Record<PathElement, FieldSet> | undefined;
  for (const element in set) {
    if (element === ".") continue;
    const below = element.startsWith("f:") ? fieldShape(shape, element.slice(2)) : (shape.items ?? UNTYPED);
    if (below === undefined) continue;
    const entry = follow(set[element]!, below);
    if (entry === set[element]) continue;
    out ??= { ...set };
    out[element] = entry;
  }
  return out ?? set;
}

/** A part of a set; `NONE` when its owner owns it as a whole. */
function follow(entry: FieldSet, shape: Shape): FieldSet {
  if (isEmpty(entry)) return entry;
  if (hasMap(shape)) return isFreeForm(shape) ? entry : shape.atomic ? NONE : reshape(entry, shape);
  if (hasScalar(shape)) return entry;
  return isGranularList(shape) ? reshape(entry, shape) : NONE;
}

/** Declares nothing, so it can have changed nothing. */
function isFreeForm(shape: Shape): boolean {
  return shape.fields === undefined && (shape.values === undefined || shape.values.untyped === true);
}
