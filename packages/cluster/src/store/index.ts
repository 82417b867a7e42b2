/**
 * Revisions and history. Comes in: keys and JSON values. Goes out: entries, ordered ranges, and the log of commits that
 * watches are made of. Knows nothing about kinds. Every backend answers reads and watches from a ledger in memory; they
 * differ in what a commit is: `memoryStore()` needs nothing, `fileStore()` keeps a log and snapshots in a folder,
 * `etcdStore()` asks a real etcd, and the drop-in etcd is told.
 */
export { type EtcdStore, type EtcdStoreOptions, etcdStore } from "./etcd/etcd-store.ts";
export { type FileStoreOptions, fileStore } from "./file/file-store.ts";
export { freeze } from "./freeze.ts";
export { type MemoryStoreOptions, memoryStore } from "./memory.ts";
export { type EtcdChoice, type EtcdPlace, type FileChoice, type OpenStore, openStore, type StoreChoice } from "./open-store.ts";
export * from "./store.ts";
