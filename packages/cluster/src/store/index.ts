/**
 * MVCC key-value storage of the API server. In come keys and JSON values; out go entries, ordered ranges and commit events for watches.
 * It knows nothing about kinds. Every backend serves reads and watches from an in-memory MVCC store (`mvcc/`) and differs in what makes a
 * commit durable: nothing (`createMemoryStore`), a write-ahead log with snapshots in a folder (`openFileStore`), a transaction in a real
 * etcd (`openEtcdStore`), or replication to the drop-in etcd.
 */
export { type EtcdStore, type EtcdStoreOptions, openEtcdStore } from "./etcd/etcd-store.ts";
export { type FileStoreOptions, openFileStore } from "./file/file-store.ts";
export { adviseOnKeys } from "./file/keys-file.ts";
export { createMemoryStore, createStoreSnapshot, type MemoryStoreOptions } from "./memory-store.ts";
export { deepFreeze } from "./mvcc/freeze.ts";
export {
  type EtcdConnection,
  type EtcdStoreBackend,
  type FileStoreBackend,
  type OpenedStore,
  openStore,
  type StoreBackend,
} from "./open-store.ts";
export * from "./store.ts";
