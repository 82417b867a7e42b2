import type { JsonObject, OwnerReference } from "pintle/kinds";
import { equal } from "pintle/merge";
import { metadataOf, withMetadata } from "./metadata.ts";

/** Drops owner references that are there twice; says which, as a Warning. */
export function dedupeOwners(object: JsonObject, afterAdmission: boolean): { readonly object: JsonObject; readonly warning?: string } {
  const owners = metadataOf(object).ownerReferences;
  if (owners === undefined || owners.length < 2) return { object };
  const kept = owners.filter((owner, index) => !owners.slice(0, index).some((other) => same(owner, other)));
  if (kept.length === owners.length) return { object };
  const twice = owners.filter((owner, index) => owners.slice(0, index).some((other) => same(owner, other))).map((owner) => owner.uid);
  const when = afterAdmission ? " after mutating admission happens" : "";
  return {
    object: withMetadata(object, { ownerReferences: kept }),
    warning: `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${twice.join(", ")}`,
  };
}

const same = (a: OwnerReference, b: OwnerReference) => equal(a as unknown as JsonObject, b as unknown as JsonObject);
