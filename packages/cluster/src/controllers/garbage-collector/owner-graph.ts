import type { KindInfo, Metadata, OwnerReference } from "pintle/kinds";

export const FOREGROUND_FINALIZER = "foregroundDeletion";
export const ORPHAN_FINALIZER = "orphan";

/** An object, reduced to what the collector needs. */
export interface GraphNode {
  readonly kind: KindInfo;
  readonly metadata: Metadata;
}

/**
 * Creates the graph of owners and dependents over all kinds, by uid. An owner may be unknown: a reference can be observed before, after or
 * without its owner.
 */
export function createOwnerGraph() {
  const nodes = new Map<string, GraphNode>();
  const dependents = new Map<string, Set<string>>();

  const link = (uid: string, owners: readonly OwnerReference[]) => {
    for (const owner of owners) {
      const uids = dependents.get(owner.uid) ?? new Set();
      dependents.set(owner.uid, uids.add(uid));
    }
  };
  const unlink = (uid: string, owners: readonly OwnerReference[]) => {
    for (const owner of owners) {
      const uids = dependents.get(owner.uid);
      uids?.delete(uid);
      if (uids?.size === 0) dependents.delete(owner.uid);
    }
  };
  return {
    get: (uid: string): GraphNode | undefined => nodes.get(uid),
    put(node: GraphNode): void {
      const { uid } = node.metadata;
      unlink(uid, nodes.get(uid)?.metadata.ownerReferences ?? []);
      nodes.set(uid, node);
      link(uid, node.metadata.ownerReferences ?? []);
    },
    remove(uid: string): void {
      unlink(uid, nodes.get(uid)?.metadata.ownerReferences ?? []);
      nodes.delete(uid);
    },
    getDependents: (uid: string): readonly GraphNode[] => [...(dependents.get(uid) ?? [])].flatMap((d) => nodes.get(d) ?? []),
  };
}
export type OwnerGraph = ReturnType<typeof createOwnerGraph>;

/** Returns whether the object is being deleted and has the finalizer. */
export function isDeletingWithFinalizer(node: GraphNode, finalizer: typeof FOREGROUND_FINALIZER | typeof ORPHAN_FINALIZER): boolean {
  return node.metadata.deletionTimestamp !== undefined && node.metadata.finalizers?.includes(finalizer) === true;
}
