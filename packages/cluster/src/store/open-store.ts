import path from "node:path";
import { openEtcdStore } from "./etcd/etcd-store.ts";
import { localDisk } from "./file/disk.ts";
import { openFileStore } from "./file/file-store.ts";
import { KEYS_FILE, loadOrCreateKeys } from "./file/keys-file.ts";
import { createMemoryStore } from "./memory-store.ts";
import { openReplicatedStore } from "./replicated-store.ts";
import type { ObjectStore } from "./store.ts";

/** Where the objects of a cluster are stored. In memory they end with the process. */
export type StoreBackend = "memory" | FileStoreBackend | EtcdStoreBackend;

/** A folder of this machine, for one process at a time. */
export interface FileStoreBackend {
  /** The folder; created if it is missing. */
  readonly file: string;
  /** Respond to a write only when it survives a power cut; otherwise it survives a crash of the process. Default: false. */
  readonly fsync?: boolean | undefined;
  /**
   * Start although commits cannot be read or acknowledged ones are missing, for example because a file was truncated. Default: false, the
   * start fails with PINTLE6512 or PINTLE6518.
   */
  readonly acceptDataLoss?: boolean | undefined;
  /**
   * Called with one line if the end of the log was dropped: a write that a crash cut short, or what `acceptDataLoss` gave up. Default:
   * `process.emitWarning`.
   */
  readonly onDataLoss?: ((report: string) => void) | undefined;
}

/** An etcd 3.5 or newer, which several servers may share; or the drop-in etcd, for one server at a time. */
export interface EtcdStoreBackend {
  /** How to reach it. */
  readonly etcd: EtcdConnection;
}

/** How to reach an etcd. */
export interface EtcdConnection {
  /** For example "https://127.0.0.1:2379"; the others are tried when one does not respond. */
  readonly endpoints: readonly string[];
  /** Key prefix. Default: "/registry". Pintle's own keys are stored beside it, under "/pintle". */
  readonly prefix?: string | undefined;
  /** PEM of the certificate authority. Default: the system's authorities. */
  readonly ca?: string | undefined;
  /** PEM of the client certificate. Default: none. */
  readonly cert?: string | undefined;
  /** PEM of the key of the client certificate. Default: none. */
  readonly key?: string | undefined;
}

export interface OpenedStore {
  readonly store: ObjectStore;
  /**
   * Returns the secret stored with the objects, creating it with `make()` if there is none. Absent for stores that do not outlive the
   * process.
   */
  loadOrCreateSecret?(make: () => string): Promise<string>;
  /** Where that secret is, for error messages. */
  readonly secretLocation?: string | undefined;
}

/** TTL in seconds after the last change, by key prefix. */
const KEY_TTLS: readonly (readonly [prefix: string, seconds: number])[] = [["/registry/events/", 3600]];
const getTtlSeconds = (key: string) => KEY_TTLS.find(([prefix]) => key.startsWith(prefix))?.[1];

export async function openStore(backend: StoreBackend): Promise<OpenedStore> {
  if (backend === "memory") return { store: createMemoryStore() };
  if ("etcd" in backend) {
    const held = await openReplicatedStore(backend.etcd);
    if (held !== undefined) return { store: held };
    const store = await openEtcdStore({ ...backend.etcd, getTtlSeconds });
    return { store, secretLocation: `the key ${store.secretKey} in etcd`, loadOrCreateSecret: store.loadOrCreateSecret };
  }
  const { file: folder, fsync, acceptDataLoss, onDataLoss = (report) => process.emitWarning(report, "PintleWarning") } = backend;
  const store = await openFileStore({ folder, fsync, acceptDataLoss, onDataLoss });
  return {
    store,
    secretLocation: path.join(folder, KEYS_FILE),
    loadOrCreateSecret: (make) => loadOrCreateKeys(localDisk, folder, make),
  };
}
