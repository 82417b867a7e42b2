import { isObject, type Json, type JsonObject } from "../kinds/index.ts";
import { equal } from "../merge/index.ts";

export type Change =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/**
 * What turns one value into the other, as a JSON patch (RFC 6902): only what differs, nothing for equal values. Lists are
 * compared item by item once equal beginnings and ends are set aside, so one item more is one operation.
 */
export function jsonPatch(before: JsonObject, after: JsonObject): readonly Change[] {
  const changes: Change[] = [];
  objects(before, after, "", changes);
  return changes;
}

function values(before: Json, after: Json, path: string, changes: Change[]): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) lists(before, after, path, changes);
  else if (isObject(before) && isObject(after)) objects(before, after, path, changes);
  else if (!equal(before, after)) changes.push({ op: "replace", path, value: after });
}

function objects(before: JsonObject, after: JsonObject, path: string, changes: Change[]): void {
  for (const key of Object.keys(before)) {
    const at = `${path}/${escaped(key)}`;
    const [old, now] = [before[key], Object.hasOwn(after, key) ? after[key] : undefined];
    if (old === undefined) continue;
    if (now === undefined) changes.push({ op: "remove", path: at });
    else values(old, now, at, changes);
  }
  for (const key of Object.keys(after)) {
    const value = after[key];
    if (value !== undefined && !(Object.hasOwn(before, key) && before[key] !== undefined))
      changes.push({ op: "add", path: `${path}/${escaped(key)}`, value });
  }
}

function lists(before: readonly Json[], after: readonly Json[], path: string, changes: Change[]): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && equal(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && equal(before[before.length - 1 - end], after[after.length - 1 - end])) end++;
  const [olds, news] = [before.length - end, after.length - end];
  const common = Math.min(olds, news);
  for (let i = start; i < common; i++) values(before[i]!, after[i]!, `${path}/${i}`, changes);
  // From behind, so that no index moves before it is used.
  for (let i = olds - 1; i >= common; i--) changes.push({ op: "remove", path: `${path}/${i}` });
  for (let i = common; i < news; i++) changes.push({ op: "add", path: `${path}/${i}`, value: after[i]! });
}

const escaped = (key: string) => (/[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key);
