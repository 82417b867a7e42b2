import type { View } from "pintle/cache";
import { Conflict, type DynamicKind, NotFound } from "pintle/client";
import { type Json, type Metadata, type MetadataOnly, meta, type OwnerReference } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { equal } from "pintle/merge";
import { queue } from "pintle/queue";
import type { Part, Plant } from "../part.ts";
import { FOREGROUND, ORPHAN, ownership, type Vertex, waitsWith } from "./graph.ts";
import { blocking, judge, type OwnerState } from "./judgement.ts";

/** Not collected: events are many, have no dependents and expire by themselves. */
const IGNORED = new Set(["v1/Event", "events.k8s.io/v1/Event"]);

/**
 * Deletes what lost its owners, holds back owners in foreground deletion, lets go of dependents that are to be
 * orphaned. Knows every kind the server serves, by metadata alone; kinds come and go with their CRDs.
 */
export function garbageCollector({ client, cache, clock }: Plant): Part {
  const graph = ownership();
  const views = new Map<string, View<MetadataOnly>>();
  const work = queue({ clock, concurrency: 8, work: ({ key }) => (key === "kinds" ? followKinds() : attend(key)) });

  const followKinds = async () => {
    const kinds = new Map((await client.kinds()).filter(collected).map((kind) => [kind.id, kind]));
    for (const [id, view] of views) {
      if (kinds.has(id)) continue;
      views.delete(id);
      for (const { metadata } of view.list()) graph.remove(metadata.uid);
      await view.close();
    }
    for (const [id, kind] of kinds) {
      if (views.has(id)) continue;
      const view = cache.watch(meta(kind)) as View<MetadataOnly>;
      views.set(id, view);
      view.on(({ old, new: seen }) => (seen === undefined ? old && lost(old.metadata) : found({ kind, metadata: seen.metadata })));
    }
  };
  const found = (vertex: Vertex) => {
    const before = graph.get(vertex.metadata.uid);
    graph.put(vertex);
    // Most changes are none of its business.
    if (before !== undefined && sameTies(before.metadata, vertex.metadata)) return;
    if ((vertex.metadata.ownerReferences?.length ?? 0) > 0 || vertex.metadata.deletionTimestamp !== undefined)
      work.add(vertex.metadata.uid);
    // References that went may have been all that held an owner back.
    for (const owner of before?.metadata.ownerReferences ?? []) work.add(owner.uid);
  };
  const lost = ({ uid, ownerReferences = [] }: Metadata) => {
    const waiting = graph.dependentsOf(uid);
    graph.remove(uid);
    for (const dependent of waiting) work.add(dependent.metadata.uid);
    for (const owner of ownerReferences) work.add(owner.uid);
  };

  const attend = async (uid: string): Promise<void> => {
    const vertex = graph.get(uid);
    if (vertex === undefined) return;
    try {
      if (waitsWith(vertex, ORPHAN)) return await orphan(vertex);
      if (waitsWith(vertex, FOREGROUND)) return await releaseOrWait(vertex);
      await carryOut(vertex);
    } catch (error) {
      // Gone, or changed under our hands: the watch brings news and with it another look.
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  const carryOut = async (vertex: Vertex) => {
    const owners = vertex.metadata.ownerReferences ?? [];
    const states = new Map<string, OwnerState>();
    for (const owner of owners) states.set(owner.uid, await stateOf(owner, vertex));
    const fate = judge(vertex, states, graph);
    if (fate.type === "forget") return dropOwners(vertex, new Set(fate.owners.map((o) => o.uid)));
    if (fate.type === "keep") return;
    if (fate.unblock) await unblockOwners(vertex);
    const { uid, resourceVersion } = vertex.metadata;
    // The version too: an owner reference added since would be a reason to stay. The ring was just patched, so there only the uid.
    const guard = fate.unblock ? { uid } : { uid, resourceVersion };
    await client.delete(vertex.kind, refOf(vertex), { ...guard, propagation: fate.propagation });
  };
  /** The graph answers for what it has seen; what it has not seen is asked for. */
  const stateOf = async (owner: OwnerReference, dependent: Vertex): Promise<OwnerState> => {
    const known = graph.get(owner.uid);
    if (known !== undefined) {
      if (known.kind.scope === "Namespaced" && known.metadata.namespace !== dependent.metadata.namespace) return "absent";
      const held = dependent.metadata.ownerReferences?.some((o) => o.uid === owner.uid && o.blockOwnerDeletion === true);
      return waitsWith(known, FOREGROUND) && held ? "waiting" : "solid";
    }
    const kind = await client.kind(owner.apiVersion, owner.kind);
    const namespace = kind.scope === "Namespaced" ? dependent.metadata.namespace : undefined;
    if (kind.scope === "Namespaced" && namespace === undefined) return "absent";
    const live = await client.find(meta(kind), { name: owner.name, namespace });
    return live?.metadata.uid === owner.uid ? "solid" : "absent";
  };
  const releaseOrWait = async (vertex: Vertex) => {
    if (blocking(vertex, graph).length === 0) return dropFinalizer(vertex, FOREGROUND);
    for (const dependent of graph.dependentsOf(vertex.metadata.uid)) work.add(dependent.metadata.uid);
  };
  const orphan = async (vertex: Vertex) => {
    for (const dependent of graph.dependentsOf(vertex.metadata.uid)) await dropOwners(dependent, new Set([vertex.metadata.uid]));
    await dropFinalizer(vertex, ORPHAN);
  };

  const patch = (vertex: Vertex, metadata: Partial<Metadata>) =>
    client.patch(meta(vertex.kind), refOf(vertex), {
      merge: { metadata: { uid: vertex.metadata.uid, resourceVersion: vertex.metadata.resourceVersion, ...metadata } },
    });
  const dropOwners = async (vertex: Vertex, uids: ReadonlySet<string>) => {
    await patch(vertex, { ownerReferences: (vertex.metadata.ownerReferences ?? []).filter((o) => !uids.has(o.uid)) });
  };
  const unblockOwners = async (vertex: Vertex) => {
    await patch(vertex, { ownerReferences: (vertex.metadata.ownerReferences ?? []).map((o) => ({ ...o, blockOwnerDeletion: false })) });
  };
  const dropFinalizer = async (vertex: Vertex, finalizer: string) => {
    await patch(vertex, { finalizers: (vertex.metadata.finalizers ?? []).filter((f) => f !== finalizer) });
  };

  const definitions = cache.watch(meta(CustomResourceDefinition));
  definitions.on(() => work.add("kinds"));
  const ready = (async () => {
    await followKinds();
    await Promise.all([definitions, ...views.values()].map((view) => view.synced()));
    work.start();
  })();
  return {
    name: "garbage-collector",
    ready,
    async stop() {
      await work.stop();
      await Promise.all([definitions, ...views.values()].map((view) => view.close()));
    },
  };
}

const collected = (kind: DynamicKind) => !IGNORED.has(kind.id) && ["list", "watch", "delete"].every((verb) => kind.verbs.includes(verb));

function refOf({ kind, metadata: { name, namespace } }: Vertex): { readonly name: string; readonly namespace?: string | undefined } {
  return kind.scope === "Namespaced" ? { name, namespace } : { name };
}

/** Owned as before, and going or staying as before. */
function sameTies(a: Metadata, b: Metadata): boolean {
  return a.deletionTimestamp === b.deletionTimestamp && equal(tiesOf(a), tiesOf(b));
}

function tiesOf({ ownerReferences = [], finalizers = [] }: Metadata): Json {
  return [ownerReferences as unknown as Json, finalizers];
}
