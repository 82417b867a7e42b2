import { setImmediate } from "node:timers/promises";
import type { ObjectStore, StoreEntry } from "../../store/index.ts";
import { APISERVER } from "../request/user.ts";
import { decideDeletion } from "../strategy/deletion.ts";

const NO_OPTIONS = { gracePeriodSeconds: undefined, propagationPolicy: undefined, orphanDependents: undefined };
const YIELD_AFTER = 50;

/**
 * Deletes the objects of a CRD that is being deleted: those with finalizers are marked. Works on the stored form, because no version may be
 * served, and calls no admission plugin, as kube-apiserver does.
 */
export async function deleteInstances(store: ObjectStore, prefix: string, now: number): Promise<void> {
  const { entries } = await store.range(prefix);
  for (const [index, entry] of entries.entries()) {
    if (index % YIELD_AFTER === YIELD_AFTER - 1) await setImmediate();
    await deleteInstance(store, entry, now);
  }
}

async function deleteInstance(store: ObjectStore, { key }: StoreEntry, now: number): Promise<void> {
  for (let entry = await store.get(key); entry !== undefined; entry = await store.get(key)) {
    const decision = decideDeletion(entry.value, NO_OPTIONS, {}, { user: APISERVER, now });
    if (decision.type === "pending") return;
    const result = await store.txn(key, entry.revision, decision.type === "remove" ? { delete: true } : { put: decision.object });
    if (result.ok) return;
  }
}
