import type { KindFacts, Metadata, OwnerReference } from "pintle/kinds";

/** The reference a controller puts on what it makes. */
export function controlledBy(kind: KindFacts, owner: { readonly metadata: Metadata }): OwnerReference {
  const { name, uid } = owner.metadata;
  return { apiVersion: kind.apiVersion, kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function controllerOf(object: { readonly metadata: Metadata }): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((o) => o.controller === true);
}
