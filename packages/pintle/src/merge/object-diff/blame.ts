import { isJsonObject } from "../../json/index.ts";
import type { Json, JsonObject } from "../../kinds/index.ts";
import { type FieldSet, type FieldSetPath, formatPath, isEmptySet, isMember } from "../field-set/field-set.ts";
import { type FieldManagerEntry, parseManagers, takeApart, unionOfManagers } from "./merged-managers.ts";

/** A field manager of a field, from `metadata.managedFields`. */
export interface FieldManager {
  /** Name of the manager: "kubectl-client-side-apply". */
  readonly manager: string;
  /** Whether it applied the field or wrote it in another way. */
  readonly operation: "Apply" | "Update";
  /** The subresource it wrote through; empty: the object itself. */
  readonly subresource: string;
  /** When this manager last changed any of its fields, in RFC 3339; empty if it is unknown. */
  readonly time: string;
}

/** A field of an object and the managers that own it. */
export interface FieldBlame {
  /** The path as in messages of the API server: `.spec.containers[name="web"].image`. */
  readonly path: string;
  readonly value: Json;
  /** Empty for fields that the API server sets, such as `.metadata.uid`. */
  readonly managers: readonly FieldManager[];
}

interface ManagerAtPath {
  readonly manager: FieldManager;
  /** The manager's fields at this path and below; undefined: none. */
  readonly fields: FieldSet | undefined;
  /** Whether it owns a field above as a whole, and with it everything below. */
  readonly ownsAll: boolean;
}

/**
 * Returns every field of an object that has a value of its own, in the order of the object, with its managers. Lists are taken apart where a
 * manager owns single items: by key (`[name="web"]`) or by value; other lists are one field. `metadata.managedFields` itself is left out.
 */
export function blame(object: JsonObject): readonly FieldBlame[] {
  const found: FieldBlame[] = [];
  const entries = parseManagers(object).filter(({ fields }) => !isEmptySet(fields));
  const managers = entries.map(({ entry, fields }) => ({ manager: toFieldManager(entry), fields, ownsAll: false }));
  const { metadata } = object;
  const { managedFields: _, ...others } = isJsonObject(metadata) ? metadata : {};
  visitValue([], { ...object, metadata: others }, managers, unionOfManagers(object), found);
  return found;
}

function toFieldManager({ manager = "", operation, subresource = "", time = "" }: FieldManagerEntry["entry"]): FieldManager {
  return { manager, operation: operation === "Apply" ? "Apply" : "Update", subresource, time };
}

function visitValue(
  path: FieldSetPath,
  value: Json,
  managers: readonly ManagerAtPath[],
  owned: FieldSet | undefined,
  found: FieldBlame[],
): void {
  // An object that is only ever owned as a whole, such as a selector, is one field.
  const isOwnedAsWhole = managers.some(ownsAsWhole) && !managers.some(({ fields }) => fields !== undefined && !isEmptySet(fields));
  const parts = isOwnedAsWhole ? undefined : takeApart(value, owned);
  if (parts === undefined || parts.size === 0) {
    const owners = managers.filter(({ fields, ownsAll }) => ownsAll || (fields !== undefined && isMember(fields)));
    found.push({ path: formatPath(path), value, managers: owners.map(({ manager }) => manager) });
    return;
  }
  for (const [element, part] of parts) {
    const below = managers.map((each) => ({
      manager: each.manager,
      fields: each.fields?.[element],
      ownsAll: ownsAsWhole(each),
    }));
    visitValue([...path, element], part, below, owned?.[element], found);
  }
}

function ownsAsWhole({ fields, ownsAll }: ManagerAtPath): boolean {
  return ownsAll || (fields !== undefined && isEmptySet(fields));
}
