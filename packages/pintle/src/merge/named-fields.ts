import { type Shape, UNTYPED } from "../kinds/index.ts";
import { asMember, type FieldSet } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";
import { fieldShape, isDeclared } from "./shape-at.ts";

/** The set with the structs on the way to its members as members too; maps and list items are left as they are. */
export function withNamedFields(set: FieldSet, shape: Shape): FieldSet {
  const out: Record<PathElement, FieldSet> = {};
  for (const element in set) {
    const entry = withNamedFields(set[element]!, shapeBelow(shape, element));
    out[element] = element.startsWith("f:") && isDeclared(shape, element.slice(2)) ? asMember(entry) : entry;
  }
  return out;
}

function shapeBelow(shape: Shape, element: PathElement): Shape {
  if (element.startsWith("f:")) return fieldShape(shape, element.slice(2)) ?? UNTYPED;
  return shape.items ?? UNTYPED;
}
