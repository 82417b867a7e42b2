import { type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { allowsMap, allowsScalar, fieldShape } from "../shape/shape-queries.ts";
import { EMPTY_FIELD_SET, type FieldSet, isEmptySet } from "./field-set.ts";
import { isAssociativeList } from "./list-items.ts";
import type { PathElement } from "./path-element.ts";

/** Adapts a set to a changed schema: a field that became atomic since the set was written becomes a member as a whole. */
export function reconcileFieldSetWithShape(set: FieldSet, shape: Shape): FieldSet {
  let out: Record<PathElement, FieldSet> | undefined;
  for (const element in set) {
    if (element === ".") continue;
    const below = element.startsWith("f:") ? fieldShape(shape, element.slice(2)) : (shape.items ?? UNTYPED_SHAPE);
    if (below === undefined) continue;
    const entry = reconcileEntry(set[element]!, below);
    if (entry === set[element]) continue;
    out ??= { ...set };
    out[element] = entry;
  }
  return out ?? set;
}

/** Adapts one entry; `EMPTY_FIELD_SET` when it is a member as a whole. */
function reconcileEntry(entry: FieldSet, shape: Shape): FieldSet {
  if (isEmptySet(entry)) return entry;
  if (allowsMap(shape)) return isFreeForm(shape) ? entry : shape.atomic ? EMPTY_FIELD_SET : reconcileFieldSetWithShape(entry, shape);
  if (allowsScalar(shape)) return entry;
  return isAssociativeList(shape) ? reconcileFieldSetWithShape(entry, shape) : EMPTY_FIELD_SET;
}

/** Whether the shape declares nothing, so that nothing can have become atomic. */
function isFreeForm(shape: Shape): boolean {
  return shape.fields === undefined && (shape.values === undefined || shape.values.untyped === true);
}
