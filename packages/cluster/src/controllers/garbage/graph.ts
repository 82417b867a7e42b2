import type { KindFacts, Metadata, OwnerReference } from "pintle/kinds";

export const FOREGROUND = "foregroundDeletion";
export const ORPHAN = "orphan";

/** One object, as far as ownership goes. */
export interface Vertex {
  readonly kind: KindFacts;
  readonly metadata: Metadata;
}

/**
 * Who owns whom, by uid, over all kinds. Owners may be unknown: a reference names its owner before, after or without
 * the owner ever being seen.
 */
export function ownership() {
  const vertices = new Map<string, Vertex>();
  const dependents = new Map<string, Set<string>>();

  const link = (uid: string, owners: readonly OwnerReference[]) => {
    for (const owner of owners) {
      const known = dependents.get(owner.uid) ?? new Set();
      dependents.set(owner.uid, known.add(uid));
    }
  };
  const unlink = (uid: string, owners: readonly OwnerReference[]) => {
    for (const owner of owners) {
      const known = dependents.get(owner.uid);
      known?.delete(uid);
      if (known?.size === 0) dependents.delete(owner.uid);
    }
  };
  return {
    get: (uid: string): Vertex | undefined => vertices.get(uid),
    put(vertex: Vertex): void {
      const { uid } = vertex.metadata;
      unlink(uid, vertices.get(uid)?.metadata.ownerReferences ?? []);
      vertices.set(uid, vertex);
      link(uid, vertex.metadata.ownerReferences ?? []);
    },
    remove(uid: string): void {
      unlink(uid, vertices.get(uid)?.metadata.ownerReferences ?? []);
      vertices.delete(uid);
    },
    dependentsOf: (uid: string): readonly Vertex[] => [...(dependents.get(uid) ?? [])].flatMap((d) => vertices.get(d) ?? []),
  };
}
export type Ownership = ReturnType<typeof ownership>;

/** Being deleted, and asking to go only after (or without) its dependents. */
export function waitsWith(vertex: Vertex, finalizer: typeof FOREGROUND | typeof ORPHAN): boolean {
  return vertex.metadata.deletionTimestamp !== undefined && vertex.metadata.finalizers?.includes(finalizer) === true;
}
