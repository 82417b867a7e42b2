/**
 * Revisions and history. Comes in: keys and frozen JSON values. Goes out: entries, ordered ranges, and the log of
 * commits that watches are made of. Knows nothing about kinds; `memoryStore()` is the backend that needs nothing.
 */
export { freeze } from "./freeze.ts";
export { type MemoryStoreOptions, memoryStore } from "./memory.ts";
export * from "./store.ts";
