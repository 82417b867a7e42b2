import { ledger } from "./ledger.ts";
import type { Store } from "./store.ts";

export interface MemoryStoreOptions {
  /** How many past commits are kept for watches to resume from and for lists of an earlier state. */
  readonly history?: number | undefined;
}

/** A store in this process's memory. Commits are synchronous inside, so watchers see a change before its writer does. */
export function memoryStore({ history }: MemoryStoreOptions = {}): Store {
  const kept = ledger({ history });
  return {
    ...kept.reads,
    async txn(key, expect, change) {
      const current = kept.entry(key);
      if ((current?.revision ?? 0) !== expect) return { ok: false, current };
      const revision = kept.revision() + 1;
      const entry = "put" in change ? kept.put(key, change.put, revision) : kept.delete(key, revision);
      return entry === undefined ? { ok: false, current } : { ok: true, entry };
    },
    async close() {},
  };
}
