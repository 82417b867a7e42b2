import { createMvccStore, type LoadedEntry } from "./mvcc/mvcc-store.ts";
import type { ObjectStore, StoreSnapshot } from "./store.ts";

export interface MemoryStoreOptions {
  /** Number of past commits retained for watches to resume from and for reads at an earlier revision. Default: 20,000. */
  readonly history?: number | undefined;
  /** Approximate limit in bytes of the replaced values retained for history. Default: 256 MiB. */
  readonly historyBytes?: number | undefined;
  /** Initial state, shared with the store it was taken from. Default: empty. */
  readonly from?: StoreSnapshot | undefined;
}

/** Returns the state of a store with these entries and no history. */
export function createStoreSnapshot(state: { readonly revision: number; readonly entries: readonly LoadedEntry[] }): StoreSnapshot {
  return createMvccStore(state).readMethods.snapshot();
}

/** Creates a store in memory. Commits are synchronous, so watchers see a change before `txn` resolves. */
export function createMemoryStore({ history, historyBytes, from }: MemoryStoreOptions = {}): ObjectStore {
  const mvcc = createMvccStore({ history, historyBytes, from });
  return {
    ...mvcc.readMethods,
    async txn(key, expect, change) {
      const current = mvcc.getEntry(key);
      if ((current?.revision ?? 0) !== expect) return { ok: false, current };
      const revision = mvcc.revision() + 1;
      const committed = "put" in change ? mvcc.put(key, change.put, revision, change.attachment) : mvcc.delete(key, revision);
      return committed ?? { ok: false, current };
    },
    async close() {},
  };
}
