import { isJsonObject } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";
import type { Json, JsonObject } from "pintle/kinds";
import { omitPaths } from "./omit-paths.ts";

/**
 * Returns `live` if only times in managedFields would change, otherwise `next`: a no-op write stores nothing. Must run
 * last, on the object as it would be stored.
 */
export function keepTimestamps(live: JsonObject, next: JsonObject): JsonObject {
  const before = (live["metadata"] as JsonObject)["managedFields"];
  const after = (next["metadata"] as JsonObject)["managedFields"];
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return next;
  const isSame = before.every((entry, i) => entry === after[i] || isJsonEqual(withoutTime(entry as Json), withoutTime(after[i] as Json)));
  return isSame && isJsonEqual(omitPaths(live, [["metadata", "managedFields"]]), omitPaths(next, [["metadata", "managedFields"]]))
    ? live
    : next;
}

function withoutTime(entry: Json): Json {
  if (!isJsonObject(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}
