import { setTimeout } from "node:timers/promises";
import { Conflict, type DynamicKind, NotFound } from "pintle/client";
import type { CachedView } from "pintle/internal/cache";
import { isJsonEqual } from "pintle/internal/merge";
import { type Json, type Metadata, metadataOnly, type OwnerReference, type PartialObjectMetadata } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import type { ControllerContext, ControlPlaneComponent } from "../component.ts";
import { selectPreferredKinds } from "../preferred-kinds.ts";
import { decideCollection, listBlockingDependents, type OwnerClassification } from "./collection-decision.ts";
import { createOwnerGraph, FOREGROUND_FINALIZER, type GraphNode, isDeletingWithFinalizer, ORPHAN_FINALIZER } from "./owner-graph.ts";

/** Not collected: Events are numerous, have no dependents and expire by themselves. */
const IGNORED_KINDS = new Set(["v1/Event", "events.k8s.io/v1/Event"]);

/**
 * Starts the garbage collector. It deletes objects whose owners are gone, blocks owners in foreground deletion, and orphans dependents. It
 * watches the metadata of every kind that the server serves; kinds are added and removed with their CRDs.
 */
export function startGarbageCollectorController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const graph = createOwnerGraph();
  const views = new Map<string, CachedView<PartialObjectMetadata>>();
  const work = createWorkQueue({ clock, concurrency: 8, work: ({ key }) => (key === "kinds" ? syncMonitors() : sync(key)) });

  const syncMonitors = async () => {
    const kinds = new Map(
      selectPreferredKinds(await client.discoverKinds())
        .filter(isCollected)
        .map((kind) => [kind.id, kind]),
    );
    for (const [id, view] of views) {
      if (kinds.has(id)) continue;
      views.delete(id);
      if (view.isSynced) for (const { metadata } of view.list()) graph.remove(metadata.uid);
      await view.close();
    }
    for (const [id, kind] of kinds) {
      if (views.has(id)) continue;
      const view = cache.watch(metadataOnly(kind)) as CachedView<PartialObjectMetadata>;
      views.set(id, view);
      view.addEventHandler(({ old, new: current }) =>
        current === undefined ? old && onDeleted(old.metadata) : onObserved({ kind, metadata: current.metadata }),
      );
    }
  };
  const onObserved = (node: GraphNode) => {
    const before = graph.get(node.metadata.uid);
    graph.put(node);
    // Most changes do not affect ownership.
    if (before !== undefined && isSameOwnership(before.metadata, node.metadata)) return;
    if ((node.metadata.ownerReferences?.length ?? 0) > 0 || node.metadata.deletionTimestamp !== undefined) work.add(node.metadata.uid);
    // A removed owner reference may have been the last one that blocked its owner.
    for (const owner of before?.metadata.ownerReferences ?? []) work.add(owner.uid);
  };
  const onDeleted = ({ uid, ownerReferences = [] }: Metadata) => {
    const dependents = graph.getDependents(uid);
    graph.remove(uid);
    for (const dependent of dependents) work.add(dependent.metadata.uid);
    for (const owner of ownerReferences) work.add(owner.uid);
  };

  const sync = async (uid: string): Promise<void> => {
    const node = graph.get(uid);
    if (node === undefined) return;
    try {
      if (isDeletingWithFinalizer(node, ORPHAN_FINALIZER)) return await orphanDependents(node);
      if (isDeletingWithFinalizer(node, FOREGROUND_FINALIZER)) return await processDeletingDependents(node);
      await attemptToDelete(node);
    } catch (error) {
      // The object was deleted or changed in the meantime; the watch event enqueues it again.
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  const attemptToDelete = async (node: GraphNode) => {
    const owners = node.metadata.ownerReferences ?? [];
    const states = new Map<string, OwnerClassification>();
    for (const owner of owners) states.set(owner.uid, await classifyOwner(owner, node));
    const decision = decideCollection(node, states, graph);
    if (decision.type === "removeReferences") return removeOwnerReferences(node, new Set(decision.owners.map((o) => o.uid)));
    if (decision.type === "keep") return;
    if (decision.unblock) await unblockOwnerReferences(node);
    const { uid, resourceVersion } = node.metadata;
    // The resource version too: an owner reference that was just added would keep the object. A cycle was just patched, so there only the
    // uid is a precondition.
    const guard = decision.unblock ? { uid } : { uid, resourceVersion };
    await client.delete(node.kind, getObjectRef(node), { ...guard, propagation: decision.propagation });
  };
  /** Classifies an owner by the graph; an owner that the graph has not seen is read from the API server. */
  const classifyOwner = async (owner: OwnerReference, dependent: GraphNode): Promise<OwnerClassification> => {
    const ownerNode = graph.get(owner.uid);
    if (ownerNode !== undefined) {
      if (ownerNode.kind.scope === "Namespaced" && ownerNode.metadata.namespace !== dependent.metadata.namespace) return "dangling";
      const isBlocking = dependent.metadata.ownerReferences?.some((o) => o.uid === owner.uid && o.blockOwnerDeletion === true);
      return isDeletingWithFinalizer(ownerNode, FOREGROUND_FINALIZER) && isBlocking ? "waitingForDependents" : "solid";
    }
    const kind = await client.discoverKind(owner.apiVersion, owner.kind);
    const namespace = kind.scope === "Namespaced" ? dependent.metadata.namespace : undefined;
    if (kind.scope === "Namespaced" && namespace === undefined) return "dangling";
    const live = await client.find(metadataOnly(kind), { name: owner.name, namespace });
    return live?.metadata.uid === owner.uid ? "solid" : "dangling";
  };
  const processDeletingDependents = async (node: GraphNode) => {
    if (listBlockingDependents(node, graph).length === 0) return removeFinalizer(node, FOREGROUND_FINALIZER);
    for (const dependent of graph.getDependents(node.metadata.uid)) work.add(dependent.metadata.uid);
  };
  const orphanDependents = async (node: GraphNode) => {
    for (const dependent of graph.getDependents(node.metadata.uid)) await removeOwnerReferences(dependent, new Set([node.metadata.uid]));
    await removeFinalizer(node, ORPHAN_FINALIZER);
  };

  const patch = (node: GraphNode, metadata: Partial<Metadata>) =>
    client.patch(metadataOnly(node.kind), getObjectRef(node), {
      merge: { metadata: { uid: node.metadata.uid, resourceVersion: node.metadata.resourceVersion, ...metadata } },
    });
  const removeOwnerReferences = async (node: GraphNode, uids: ReadonlySet<string>) => {
    await patch(node, { ownerReferences: (node.metadata.ownerReferences ?? []).filter((o) => !uids.has(o.uid)) });
  };
  const unblockOwnerReferences = async (node: GraphNode) => {
    await patch(node, { ownerReferences: (node.metadata.ownerReferences ?? []).map((o) => ({ ...o, blockOwnerDeletion: false })) });
  };
  const removeFinalizer = async (node: GraphNode, finalizer: string) => {
    await patch(node, { finalizers: (node.metadata.finalizers ?? []).filter((f) => f !== finalizer) });
  };

  const crds = cache.watch(metadataOnly(CustomResourceDefinition));
  crds.addEventHandler(() => work.add("kinds"));
  const ready = (async () => {
    await syncMonitors();
    await Promise.all([crds, ...views.values()].map(waitForSyncOrProblem));
    work.start();
  })();
  return {
    name: "garbage-collector",
    ready,
    async stop() {
      await work.stop();
      await Promise.all([crds, ...views.values()].map((view) => view.close()));
    },
  };
}

/** How often a watch that has not completed its first list is checked for a problem. Milliseconds of real time. */
const CHECK_INTERVAL = 10;

/**
 * Resolves when the first list is complete or has failed: objects of one kind that cannot be read, for example because its conversion webhook is not
 * served, must not keep the others from being collected. An owner that the graph does not know is read before its dependents are deleted.
 */
async function waitForSyncOrProblem(view: CachedView<any>): Promise<void> {
  while (!view.isSynced && view.health().every(({ problem }) => problem === undefined)) {
    const waited = new AbortController();
    const interval = setTimeout(CHECK_INTERVAL, undefined, { signal: waited.signal }).catch(() => {});
    await Promise.race([view.waitForSync(), interval]);
    // Otherwise the timer would outlive a cluster that is stopped at once.
    waited.abort();
  }
}

const isCollected = (kind: DynamicKind) =>
  !IGNORED_KINDS.has(kind.id) && ["list", "watch", "delete"].every((verb) => kind.verbs.includes(verb));

function getObjectRef({ kind, metadata: { name, namespace } }: GraphNode): {
  readonly name: string;
  readonly namespace?: string | undefined;
} {
  return kind.scope === "Namespaced" ? { name, namespace } : { name };
}

/** Returns whether owner references, finalizers and deletion are unchanged. */
function isSameOwnership(a: Metadata, b: Metadata): boolean {
  return a.deletionTimestamp === b.deletionTimestamp && isJsonEqual(getOwnershipFields(a), getOwnershipFields(b));
}

function getOwnershipFields({ ownerReferences = [], finalizers = [] }: Metadata): Json {
  return [ownerReferences as unknown as Json, finalizers];
}
