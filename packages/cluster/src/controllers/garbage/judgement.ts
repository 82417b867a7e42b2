import type { OwnerReference } from "pintle/kinds";
import { FOREGROUND, ORPHAN, type Ownership, type Vertex, waitsWith } from "./graph.ts";

/** How an owner reference stands: its owner lives, is gone, or lives only until its dependents are gone. */
export type OwnerState = "solid" | "absent" | "waiting";

/** What should happen to one object because of its owners. */
export type Judgement =
  | { readonly type: "keep" }
  /** Some owners live: the references to the others go. */
  | { readonly type: "forget"; readonly owners: readonly OwnerReference[] }
  | { readonly type: "delete"; readonly propagation: "Background" | "Foreground" | "Orphan"; readonly unblock: boolean };

/** Pure: the fate of an object whose owners' states are known. */
export function judge(vertex: Vertex, states: ReadonlyMap<string, OwnerState>, graph: Ownership): Judgement {
  const owners = vertex.metadata.ownerReferences ?? [];
  if (owners.length === 0 || vertex.metadata.deletionTimestamp !== undefined) return { type: "keep" };
  const of = (state: OwnerState) => owners.filter((owner) => states.get(owner.uid) === state);
  const gone = [...of("absent"), ...of("waiting")];
  if (of("solid").length > 0) return gone.length === 0 ? { type: "keep" } : { type: "forget", owners: gone };
  if (of("waiting").length > 0 && graph.dependentsOf(vertex.metadata.uid).length > 0) {
    // A dependent that is itself waiting for this object would never let it go: the ring is opened here.
    const ring = graph.dependentsOf(vertex.metadata.uid).some((d) => waitsWith(d, FOREGROUND));
    return { type: "delete", propagation: "Foreground", unblock: ring };
  }
  const { finalizers = [] } = vertex.metadata;
  const propagation = finalizers.includes(ORPHAN) ? "Orphan" : finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
  return { type: "delete", propagation, unblock: false };
}

/** Dependents that keep an owner in foreground deletion from going. */
export function blocking(owner: Vertex, graph: Ownership): readonly Vertex[] {
  return graph
    .dependentsOf(owner.metadata.uid)
    .filter((d) => d.metadata.ownerReferences?.some((o) => o.uid === owner.metadata.uid && o.blockOwnerDeletion === true));
}
