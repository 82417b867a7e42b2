import { etcdStore } from "./etcd/etcd-store.ts";
import { localDisk } from "./file/disk.ts";
import { fileStore } from "./file/file-store.ts";
import { keptText } from "./file/kept-text.ts";
import { heldAt } from "./held/held-at.ts";
import { memoryStore } from "./memory.ts";
import type { Store } from "./store.ts";

/** Where objects are kept. In memory they end with the process. */
export type StoreChoice = "memory" | FileChoice | EtcdChoice;

/** In a folder of this machine, for one process at a time. */
export interface FileChoice {
  readonly file: string;
  /** Answer a write only when it survives a power cut; otherwise it survives a crash of the process. */
  readonly fsync?: boolean | undefined;
}

/** In etcd 3.5 or newer, which several may share; or in the memory of a drop-in etcd, for one at a time. */
export interface EtcdChoice {
  readonly etcd: EtcdPlace;
}
export interface EtcdPlace {
  /** "https://127.0.0.1:2379"; the others are tried when one does not answer. */
  readonly endpoints: readonly string[];
  /** What keys begin with; default "/registry". The cluster's own keys are kept beside it, under "/pintle". */
  readonly prefix?: string | undefined;
  /** PEM: whom to trust, and who we are. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface OpenStore {
  readonly store: Store;
  /** A secret that is kept with the objects: the one that is there, or the one that is made now. Absent where nothing is kept. */
  keep?(make: () => string): Promise<string>;
}

const SECRETS = "keys.pem";

/** For how many seconds keys are kept after their last change, by what they begin with. */
const LIFETIMES: readonly (readonly [prefix: string, seconds: number])[] = [["/registry/events/", 3600]];
const lifetime = (key: string) => LIFETIMES.find(([prefix]) => key.startsWith(prefix))?.[1];

export async function openStore(choice: StoreChoice): Promise<OpenStore> {
  if (choice === "memory") return { store: memoryStore() };
  if ("etcd" in choice) {
    const held = await heldAt(choice.etcd);
    if (held !== undefined) return { store: held };
    const store = await etcdStore({ ...choice.etcd, lifetime });
    return { store, keep: store.keep };
  }
  const { file: folder, fsync } = choice;
  const store = await fileStore({ folder, fsync });
  return { store, keep: (make) => keptText(localDisk, folder, SECRETS, make) };
}
