import type { KindInfo, Metadata, OwnerReference } from "pintle/kinds";

/** Builds the owner reference that a controller sets on the objects it creates. */
export function buildControllerRef(kind: KindInfo, owner: { readonly metadata: Metadata }): OwnerReference {
  const { name, uid } = owner.metadata;
  return { apiVersion: kind.apiVersion, kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function getControllerOf(object: { readonly metadata: Metadata }): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((o) => o.controller === true);
}
