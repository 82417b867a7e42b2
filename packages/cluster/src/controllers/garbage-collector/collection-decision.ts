import type { OwnerReference } from "pintle/kinds";
import { FOREGROUND_FINALIZER, type GraphNode, isDeletingWithFinalizer, ORPHAN_FINALIZER, type OwnerGraph } from "./owner-graph.ts";

/** The state of an owner: it exists, it does not, or it is in foreground deletion and waits for its dependents. */
export type OwnerClassification = "solid" | "dangling" | "waitingForDependents";

/** What to do with an object because of its owners. */
export type CollectionDecision =
  | { readonly type: "keep" }
  /** Some owners exist: remove the references to the others. */
  | { readonly type: "removeReferences"; readonly owners: readonly OwnerReference[] }
  | { readonly type: "delete"; readonly propagation: "Background" | "Foreground" | "Orphan"; readonly unblock: boolean };

/** Decides what happens to an object, given the classification of its owners. Pure. */
export function decideCollection(node: GraphNode, states: ReadonlyMap<string, OwnerClassification>, graph: OwnerGraph): CollectionDecision {
  const owners = node.metadata.ownerReferences ?? [];
  if (owners.length === 0 || node.metadata.deletionTimestamp !== undefined) return { type: "keep" };
  const ownersIn = (state: OwnerClassification) => owners.filter((owner) => states.get(owner.uid) === state);
  const removable = [...ownersIn("dangling"), ...ownersIn("waitingForDependents")];
  if (ownersIn("solid").length > 0) return removable.length === 0 ? { type: "keep" } : { type: "removeReferences", owners: removable };
  if (ownersIn("waitingForDependents").length > 0 && graph.getDependents(node.metadata.uid).length > 0) {
    // A dependent that waits for this object would block it forever: the cycle is broken here.
    const isCycle = graph.getDependents(node.metadata.uid).some((d) => isDeletingWithFinalizer(d, FOREGROUND_FINALIZER));
    return { type: "delete", propagation: "Foreground", unblock: isCycle };
  }
  const { finalizers = [] } = node.metadata;
  const propagation = finalizers.includes(ORPHAN_FINALIZER)
    ? "Orphan"
    : finalizers.includes(FOREGROUND_FINALIZER)
      ? "Foreground"
      : "Background";
  return { type: "delete", propagation, unblock: false };
}

/** Lists the dependents that block an owner in foreground deletion. */
export function listBlockingDependents(owner: GraphNode, graph: OwnerGraph): readonly GraphNode[] {
  return graph
    .getDependents(owner.metadata.uid)
    .filter((d) => d.metadata.ownerReferences?.some((o) => o.uid === owner.metadata.uid && o.blockOwnerDeletion === true));
}
