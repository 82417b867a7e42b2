import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject, OwnerReference } from "pintle/kinds";
import { getMetadata, withMetadata } from "./object-meta.ts";

/** Removes duplicate owner references; returns the Warning to send. */
export function dedupeOwnerReferences(
  object: JsonObject,
  afterAdmission: boolean,
): { readonly object: JsonObject; readonly warning?: string } {
  const owners = getMetadata(object).ownerReferences;
  if (owners === undefined || owners.length < 2) return { object };
  const unique = owners.filter((owner, index) => !owners.slice(0, index).some((other) => isSameOwner(owner, other)));
  if (unique.length === owners.length) return { object };
  const twice = owners
    .filter((owner, index) => owners.slice(0, index).some((other) => isSameOwner(owner, other)))
    .map((owner) => owner.uid);
  const when = afterAdmission ? " after mutating admission happens" : "";
  return {
    object: withMetadata(object, { ownerReferences: unique }),
    warning: `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${twice.join(", ")}`,
  };
}

const isSameOwner = (a: OwnerReference, b: OwnerReference) => isJsonEqual(a as unknown as JsonObject, b as unknown as JsonObject);
