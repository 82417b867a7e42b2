import { isJsonObject, type Json } from "pintle/internal/json";
import type { ManagedFieldsEntry } from "pintle/kinds";

/** Moves the fields that a manager has by creates and updates to those that it has by apply. Undefined if there is nothing to move. */
export function mergeManagedFields(entries: readonly ManagedFieldsEntry[], manager: string): readonly ManagedFieldsEntry[] | undefined {
  const isOwn = (entry: ManagedFieldsEntry) => entry.manager === manager && (entry.subresource ?? "") === "";
  const updated = entries.filter((entry) => isOwn(entry) && entry.operation === "Update");
  if (updated.length === 0) return undefined;
  const applied = entries.find((entry) => isOwn(entry) && entry.operation === "Apply") ?? updated[0]!;
  const fieldsV1 = updated.reduce((fields, entry) => union(fields, entry.fieldsV1 as Json), (applied.fieldsV1 ?? {}) as Json);
  const merged = { ...applied, operation: "Apply", fieldsV1 } as ManagedFieldsEntry;
  return entries.flatMap((entry) => (entry === applied ? [merged] : updated.includes(entry) ? [] : [entry]));
}

function union(a: Json, b: Json | undefined): Json {
  if (!isJsonObject(a) || !isJsonObject(b)) return b ?? a;
  const fields: Record<string, Json | undefined> = { ...a };
  for (const [name, value] of Object.entries(b)) fields[name] = Object.hasOwn(a, name) ? union(a[name]!, value) : value;
  return fields;
}
