import { isObject, type Json, type Shape, setOwn, UNTYPED } from "../kinds/index.ts";
import { equal } from "./equal.ts";
import { partner } from "./partner.ts";
import { fieldShape } from "./shape-at.ts";

/** Stands for what live does not have; no JSON document has it as a value by accident. */
const ABSENT = "\u0000absent";

/**
 * The part of `live` that `desired` speaks about, in a form that two equal states share: its digest changes exactly
 * when somebody changed what is desired, and never when they changed something else.
 */
export function project(desired: Json, live: Json | undefined, shape: Shape = UNTYPED): Json {
  if (live === undefined) return ABSENT;
  if (Array.isArray(desired) && Array.isArray(live)) return projectList(desired as readonly Json[], live as readonly Json[], shape);
  if (!isObject(desired) || !isObject(live)) return live;
  const out: Record<string, Json> = {};
  for (const name in desired) {
    const field = desired[name];
    if (field !== undefined) setOwn(out, name, project(field, live[name], fieldShape(shape, name)));
  }
  return out;
}

function projectList(desired: readonly Json[], live: readonly Json[], shape: Shape): Json {
  if (shape.list === "map") return desired.map((item, i) => project(item, partner(item, i, live, shape), shape.items));
  if (shape.list === "set") return desired.map((item) => live.some((other) => equal(item, other)));
  return live.length === desired.length ? desired.map((item, i) => project(item, live[i], shape.items)) : live;
}
