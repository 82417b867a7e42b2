import { isJsonObject, setOwnProperty } from "../../json/index.ts";
import { type Json, type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { isJsonEqual } from "../json-equal.ts";
import { fieldShape } from "../shape/shape-queries.ts";
import { findItemByKeys } from "./find-item-by-keys.ts";

/** The placeholder for a field that live does not have; not a value of real documents. */
const ABSENT = "\u0000absent";

/**
 * Returns the fields of `live` that `desired` sets, in a canonical form: the digest of the result changes exactly when one of these fields
 * changes, and not when another field does.
 */
export function selectDesiredFields(desired: Json, live: Json | undefined, shape: Shape = UNTYPED_SHAPE): Json {
  if (live === undefined) return ABSENT;
  if (Array.isArray(desired) && Array.isArray(live)) return selectDesiredItems(desired as readonly Json[], live as readonly Json[], shape);
  if (!isJsonObject(desired) || !isJsonObject(live)) return live;
  const out: Record<string, Json> = {};
  for (const name in desired) {
    const field = desired[name];
    if (field !== undefined) setOwnProperty(out, name, selectDesiredFields(field, live[name], fieldShape(shape, name)));
  }
  return out;
}

function selectDesiredItems(desired: readonly Json[], live: readonly Json[], shape: Shape): Json {
  if (shape.list === "map") return desired.map((item, i) => selectDesiredFields(item, findItemByKeys(item, i, live, shape), shape.items));
  if (shape.list === "set") return desired.map((item) => live.some((other) => isJsonEqual(item, other)));
  return live.length === desired.length ? desired.map((item, i) => selectDesiredFields(item, live[i], shape.items)) : live;
}
