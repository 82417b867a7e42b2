import { isObject, type Json, type JsonObject, setOwn } from "pintle/kinds";
import { badRequest } from "../status/index.ts";
import { cannotUnmarshal } from "./refusals.ts";
import { withoutNulls } from "./without-nulls.ts";

/** RFC 7386, as the server's library reads it: in what is new, nulls go even inside lists. */
export function mergePatch(document: JsonObject, patch: Json): JsonObject {
  if (patch === null) throw badRequest("Invalid JSON Patch");
  if (!isObject(patch)) throw badRequest(`error decoding patch: ${cannotUnmarshal(patch, "map[string]interface {}")}`);
  return merged(document, patch);
}

function merged(document: JsonObject, patch: JsonObject): JsonObject {
  const out: Record<string, Json | undefined> = { ...document };
  for (const [key, value] of Object.entries(patch)) {
    const current = Object.hasOwn(document, key) ? document[key] : undefined;
    if (value === null) delete out[key];
    else if (!isObject(current)) setOwn(out, key, withoutNulls(value!));
    else setOwn(out, key, isObject(value) ? merged(current, value) : value);
  }
  return out;
}
