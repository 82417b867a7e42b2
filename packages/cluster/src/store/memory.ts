import { ledger } from "./ledger.ts";
import type { Store, StoreSnapshot } from "./store.ts";

export interface MemoryStoreOptions {
  /** How many past commits are kept for watches to resume from and for lists of an earlier state. */
  readonly history?: number | undefined;
  /** How many bytes of what they replaced are kept at most, about. Default: 256 MB. */
  readonly historyBytes?: number | undefined;
  /** What another store held: this one goes on from there, by itself. */
  readonly from?: StoreSnapshot | undefined;
}

/** A store in this process's memory. Commits are synchronous inside, so watchers see a change before its writer does. */
export function memoryStore({ history, historyBytes, from }: MemoryStoreOptions = {}): Store {
  const kept = ledger({ history, historyBytes, from });
  return {
    ...kept.reads,
    async txn(key, expect, change) {
      const current = kept.entry(key);
      if ((current?.revision ?? 0) !== expect) return { ok: false, current };
      const revision = kept.revision() + 1;
      const committed = "put" in change ? kept.put(key, change.put, revision, change.note) : kept.delete(key, revision);
      return committed ?? { ok: false, current };
    },
    async close() {},
  };
}
