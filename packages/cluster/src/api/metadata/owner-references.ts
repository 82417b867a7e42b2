import type { JsonObject, OwnerReference } from "pintle/kinds";
import { getMetadata, withMetadata } from "./object-meta.ts";

/** Removes duplicate owner references; returns the Warning to send. */
export function dedupeOwnerReferences(
  object: JsonObject,
  afterAdmission: boolean,
): { readonly object: JsonObject; readonly warning?: string } {
  const owners = getMetadata(object).ownerReferences;
  if (owners === undefined || owners.length < 2) return { object };
  const unique = new Map<string, OwnerReference>();
  const twice: string[] = [];
  for (const owner of owners) {
    const key = toKey(owner);
    if (unique.has(key)) twice.push(owner.uid);
    else unique.set(key, owner);
  }
  if (twice.length === 0) return { object };
  const when = afterAdmission ? " after mutating admission happens" : "";
  return {
    object: withMetadata(object, { ownerReferences: [...unique.values()] }),
    warning: `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${twice.join(", ")}`,
  };
}

const toKey = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference) =>
  JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
