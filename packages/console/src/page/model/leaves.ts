/** Takes changes of whole objects and lists apart, so that a reader sees the values and not their JSON. */
import type { FieldChange } from "../../protocol.ts";

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

/** Whether a value is shown in one piece: numbers, texts, empty lists and objects, and lists of numbers and texts. */
export function isScalar(value: unknown): boolean {
  if (!isObject(value)) return true;
  const parts = Object.values(value);
  return parts.length === 0 || (Array.isArray(value) && parts.every((part) => !isObject(part)));
}

const MAX_DEPTH = 12;

/** Returns the leaves that differ between the old and the new value of a change, in the order of the new value. */
export function listLeaves(change: FieldChange, depth = 0): readonly FieldChange[] {
  const { path, old, new: now } = change;
  const atomic = (isScalar(old) && isScalar(now)) || depth > MAX_DEPTH;
  const mixed = isObject(old) && isObject(now) && Array.isArray(old) !== Array.isArray(now);
  const oneIsScalar = (old !== undefined && isScalar(old)) || (now !== undefined && isScalar(now));
  if (atomic || mixed || oneIsScalar) return JSON.stringify(old) === JSON.stringify(now) ? [] : [change];
  const before = (old ?? {}) as Readonly<Record<string, unknown>>;
  const after = (now ?? {}) as Readonly<Record<string, unknown>>;
  const isList = Array.isArray(old) || Array.isArray(now);
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].flatMap((name) =>
    listLeaves({ path: isList ? `${path}[${name}]` : `${path}.${name}`, old: before[name], new: after[name] }, depth + 1),
  );
}
