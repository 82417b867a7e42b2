import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import { without } from "./without.ts";

/**
 * `live` when nothing but times in managedFields would change, otherwise `next`: a write that changes nothing leaves
 * no trace. To be asked last, when the object is as it would be stored.
 */
export function keepTimes(live: JsonObject, next: JsonObject): JsonObject {
  const before = (live["metadata"] as JsonObject)["managedFields"];
  const after = (next["metadata"] as JsonObject)["managedFields"];
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return next;
  const isSame = before.every((entry, i) => entry === after[i] || equal(timeless(entry as Json), timeless(after[i] as Json)));
  return isSame && equal(without(live, [["metadata", "managedFields"]]), without(next, [["metadata", "managedFields"]])) ? live : next;
}

function timeless(entry: Json): Json {
  if (!isObject(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}
