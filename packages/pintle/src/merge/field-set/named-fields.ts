import { type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { fieldShape, isDeclaredField } from "../shape/shape-queries.ts";
import { type FieldSet, toMember } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/** Returns the set with the structs that contain its members as members too. Maps and list items do not become members. */
export function ensureNamedFieldsAreMembers(set: FieldSet, shape: Shape): FieldSet {
  const out: Record<PathElement, FieldSet> = {};
  for (const element in set) {
    const entry = ensureNamedFieldsAreMembers(set[element]!, childShape(shape, element));
    out[element] = element.startsWith("f:") && isDeclaredField(shape, element.slice(2)) ? toMember(entry) : entry;
  }
  return out;
}

function childShape(shape: Shape, element: PathElement): Shape {
  if (element.startsWith("f:")) return fieldShape(shape, element.slice(2)) ?? UNTYPED_SHAPE;
  return shape.items ?? UNTYPED_SHAPE;
}
