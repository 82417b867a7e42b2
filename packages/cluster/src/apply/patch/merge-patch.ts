import { isJsonObject, setOwnProperty } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { badRequest } from "../../status/index.ts";
import { cannotUnmarshalMessage } from "../patch-errors.ts";
import { removeNulls } from "./remove-nulls.ts";

/** Applies a merge patch (RFC 7386) as upstream's library does: in new values, nulls are removed even inside lists. */
export function applyMergePatch(document: JsonObject, patch: Json): JsonObject {
  if (patch === null) throw badRequest("Invalid JSON Patch");
  if (!isJsonObject(patch)) throw badRequest(`error decoding patch: ${cannotUnmarshalMessage(patch, "map[string]interface {}")}`);
  return mergeObjects(document, patch);
}

function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  const out: Record<string, Json | undefined> = { ...document };
  for (const [key, value] of Object.entries(patch)) {
    const current = Object.hasOwn(document, key) ? document[key] : undefined;
    if (value === null) delete out[key];
    else if (!isJsonObject(current)) setOwnProperty(out, key, removeNulls(value!));
    else setOwnProperty(out, key, isJsonObject(value) ? mergeObjects(current, value) : value);
  }
  return out;
}
