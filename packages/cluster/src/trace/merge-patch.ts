import { isJsonObject, type Json, type JsonObject, setOwnProperty } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";

/**
 * Returns the JSON merge patch (RFC 7386) from one object to another; undefined if none expresses the change, because the new object contains null,
 * which means removal in a patch.
 */
export function createMergePatch(old: JsonObject, now: JsonObject): JsonObject | undefined {
  const patch: Record<string, Json> = {};
  for (const name of Object.keys(old)) if (old[name] !== undefined && now[name] === undefined) setOwnProperty(patch, name, null);
  for (const [name, value] of Object.entries(now)) {
    if (value === undefined) continue;
    const before = old[name];
    if (before !== undefined && isJsonEqual(before, value)) continue;
    if (value === null || name === LIST) return undefined;
    const items =
      Array.isArray(before) && Array.isArray(value) ? patchItems(before as readonly Json[], value as readonly Json[]) : undefined;
    if (items !== undefined) {
      setOwnProperty<Json>(patch, name, { [LIST]: items });
      continue;
    }
    if (!isJsonObject(value)) setOwnProperty<Json>(patch, name, value);
    else {
      // Without an object in its place, the patch is the value itself, in which null would be lost.
      const inner = isJsonObject(before) ? createMergePatch(before, value) : containsNull(value) ? undefined : value;
      if (inner === undefined) return undefined;
      setOwnProperty<Json>(patch, name, inner);
    }
  }
  return patch;
}

/** In a patch, marks a list whose items are patched one by one; RFC 7386 replaces lists. */
const LIST = "$list";

/** Patches of the items by index, and the items that were appended; undefined if the list is not like that. */
function patchItems(old: readonly Json[], now: readonly Json[]): JsonObject | undefined {
  if (old.length === 0 || now.length < old.length) return undefined;
  const items: Record<string, Json> = {};
  for (const [i, item] of now.entries()) {
    const before = old[i];
    if (before !== undefined && isJsonEqual(before, item)) continue;
    if (!isJsonObject(item)) return undefined;
    if (before === undefined) {
      if (containsNull(item)) return undefined;
      items[i] = item;
      continue;
    }
    const patch = isJsonObject(before) ? createMergePatch(before, item) : undefined;
    if (patch === undefined) return undefined;
    items[i] = patch;
  }
  return items;
}

/** Called with the number of fields and items before they are copied; throws to refuse. A small patch of a large object, repeated, would fill the memory. */
export type OnCopy = (count: number) => void;

function applyItems(old: readonly Json[], items: JsonObject, onCopy: OnCopy | undefined): readonly Json[] {
  onCopy?.(old.length);
  const out = [...old];
  for (const [index, patch] of Object.entries(items)) {
    const before = out[Number(index)];
    if (isJsonObject(patch) && Number(index) <= out.length)
      out[Number(index)] = applyMergePatch(isJsonObject(before) ? before : {}, patch, onCopy);
  }
  return out;
}

/** Returns the object that a merge patch makes of another one. */
export function applyMergePatch(old: JsonObject, patch: JsonObject, onCopy?: OnCopy): JsonObject {
  const out: Record<string, Json> = {};
  const entries = Object.entries(old);
  onCopy?.(entries.length);
  for (const [name, value] of entries)
    if (value !== undefined && !(Object.hasOwn(patch, name) && patch[name] === null)) setOwnProperty(out, name, value);
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || value === null) continue;
    const before = Object.hasOwn(old, name) ? old[name] : undefined;
    const items = isJsonObject(value) && Object.hasOwn(value, LIST) ? value[LIST] : undefined;
    if (isJsonObject(items)) {
      setOwnProperty<Json>(out, name, applyItems(Array.isArray(before) ? (before as readonly Json[]) : [], items, onCopy));
      continue;
    }
    setOwnProperty<Json>(out, name, isJsonObject(value) ? applyMergePatch(isJsonObject(before) ? before : {}, value, onCopy) : value);
  }
  return out;
}

/** Also whether it contains the mark of a list. */
function containsNull(value: Json | undefined): boolean {
  if (value === null) return true;
  if (!isJsonObject(value)) return false;
  if (Object.hasOwn(value, LIST)) return true;
  return Object.values(value).some(containsNull);
}
