import { isJsonObject } from "../../json/index.ts";
import type { Json, JsonObject } from "../../kinds/index.ts";
import { type FieldSet, type FieldSetPath, formatPath } from "../field-set/field-set.ts";
import type { PathElement } from "../field-set/path-element.ts";
import { isJsonEqual } from "../json-equal.ts";
import { takeApart, unionOfManagers } from "./merged-managers.ts";

/** A field whose value differs between two states of an object. */
export interface FieldChange {
  /** The path as in messages of the API server: `.spec.containers[name="web"].image`. */
  readonly path: string;
  /** The value before; undefined: the field was absent. */
  readonly old: Json | undefined;
  /** The value afterwards; undefined: the field is absent. */
  readonly new: Json | undefined;
}

/** Metadata that changes with every write and says nothing about it. */
const IGNORED_METADATA = new Set(["managedFields", "resourceVersion"]);

/**
 * Returns the fields in which two states of an object differ, in the order of the new state. Items of a list are compared by key or value
 * where a manager owns single items of the list, and else as a whole. `metadata.managedFields` and `metadata.resourceVersion` are left out.
 */
export function diffObjects(old: JsonObject | undefined, now: JsonObject | undefined): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  compareValues([], withoutBookkeeping(old), withoutBookkeeping(now), unionOfManagers(old, now), changes);
  return changes;
}

function withoutBookkeeping(object: JsonObject | undefined): JsonObject {
  if (!isJsonObject(object?.metadata)) return object ?? {};
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([name]) => !IGNORED_METADATA.has(name)));
  return { ...object, metadata };
}

function compareValues(
  path: FieldSetPath,
  old: Json | undefined,
  now: Json | undefined,
  owned: FieldSet | undefined,
  changes: FieldChange[],
): void {
  const before = takeApart(old, owned);
  const after = takeApart(now, owned);
  if (before !== undefined && after !== undefined && Array.isArray(old) === Array.isArray(now)) {
    compareByElement(path, before, after, owned, changes);
  } else if (old === undefined || now === undefined ? old !== now : !isJsonEqual(old, now)) {
    changes.push({ path: formatPath(path), old, new: now });
  }
}

function compareByElement(
  path: FieldSetPath,
  old: ReadonlyMap<PathElement, Json>,
  now: ReadonlyMap<PathElement, Json>,
  owned: FieldSet | undefined,
  changes: FieldChange[],
): void {
  for (const element of new Set([...now.keys(), ...old.keys()])) {
    compareValues([...path, element], old.get(element), now.get(element), owned?.[element], changes);
  }
}
