import { isJsonObject } from "../../json/index.ts";
import type { Json, JsonObject } from "../../kinds/index.ts";
import { isJsonEqual } from "../../merge/index.ts";

/** One operation of a JSON patch. */
export type AdmissionPatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/**
 * Returns the JSON patch (RFC 6902) that turns one object into the other; empty for equal objects. Lists are compared item by item after
 * their common prefix and suffix, so one inserted item is one operation.
 */
export function createJsonPatch(before: JsonObject, after: JsonObject): readonly AdmissionPatchOperation[] {
  const changes: AdmissionPatchOperation[] = [];
  diffObjects(before, after, "", changes);
  return changes;
}

function diffValues(before: Json, after: Json, path: string, changes: AdmissionPatchOperation[]): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) diffLists(before, after, path, changes);
  else if (isJsonObject(before) && isJsonObject(after)) diffObjects(before, after, path, changes);
  else if (!isJsonEqual(before, after)) changes.push({ op: "replace", path, value: after });
}

function diffObjects(before: JsonObject, after: JsonObject, path: string, changes: AdmissionPatchOperation[]): void {
  for (const key of Object.keys(before)) {
    const at = `${path}/${escapePointer(key)}`;
    const [old, now] = [before[key], Object.hasOwn(after, key) ? after[key] : undefined];
    if (old === undefined) continue;
    if (now === undefined) changes.push({ op: "remove", path: at });
    else diffValues(old, now, at, changes);
  }
  for (const key of Object.keys(after)) {
    const value = after[key];
    if (value !== undefined && !(Object.hasOwn(before, key) && before[key] !== undefined))
      changes.push({ op: "add", path: `${path}/${escapePointer(key)}`, value });
  }
}

function diffLists(before: readonly Json[], after: readonly Json[], path: string, changes: AdmissionPatchOperation[]): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isJsonEqual(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && isJsonEqual(before[before.length - 1 - end], after[after.length - 1 - end])) end++;
  const [olds, news] = [before.length - end, after.length - end];
  const common = Math.min(olds, news);
  for (let i = start; i < common; i++) diffValues(before[i]!, after[i]!, `${path}/${i}`, changes);
  // In descending order, so that removals do not shift the following indexes.
  for (let i = olds - 1; i >= common; i--) changes.push({ op: "remove", path: `${path}/${i}` });
  for (let i = common; i < news; i++) changes.push({ op: "add", path: `${path}/${i}`, value: after[i]! });
}

const escapePointer = (key: string) => (/[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key);
