import { isJsonObject } from "../../json/index.ts";
import { type Json, type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import type { FieldChange } from "../object-diff/diff-objects.ts";
import { fieldShape } from "../shape/shape-queries.ts";
import { findItemByKeys } from "./find-item-by-keys.ts";
import { isSatisfiedBy } from "./is-satisfied-by.ts";

/** Returns the values of `desired` that `live` does not contain, with those that it has in their place; compared as `isSatisfiedBy` does. */
export function listDifferences(desired: Json, live: Json | undefined, shape: Shape = UNTYPED_SHAPE): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  collect(desired, live, shape, "", changes);
  return changes;
}

function collect(desired: Json, live: Json | undefined, given: Shape | undefined, path: string, changes: FieldChange[]): void {
  const shape = given ?? UNTYPED_SHAPE;
  if (isJsonObject(desired) && isJsonObject(live)) {
    for (const name in desired) {
      const field = desired[name];
      if (field !== undefined) collect(field, live[name], fieldShape(shape, name), `${path}.${name}`, changes);
    }
  } else if (
    Array.isArray(desired) &&
    Array.isArray(live) &&
    shape.list !== "set" &&
    (shape.list === "map" || desired.length === live.length)
  ) {
    const [items, others] = [desired as readonly Json[], live as readonly Json[]];
    for (const [i, item] of items.entries()) {
      const other = shape.list === "map" ? findItemByKeys(item, i, others, shape) : others[i];
      collect(item, other, shape.items, `${path}[${i}]`, changes);
    }
  } else if (!isSatisfiedBy(desired, live, shape)) changes.push({ path, old: live, new: desired });
}
