import type { JsonObject } from "pintle/kinds";
import type { Store } from "../store.ts";
import { valueText } from "../value-text.ts";
import { type EtcdClient, type EtcdClientOptions, etcdClient } from "./client.ts";
import { keptEntry } from "./kept-value.ts";
import { leases } from "./leases.ts";
import { mirror } from "./mirror.ts";
import { checkOwner, checkVersion } from "./owner.ts";

export interface EtcdStoreOptions extends EtcdClientOptions {
  /** What keys begin with in etcd instead of "/registry". */
  readonly prefix?: string | undefined;
  readonly history?: number | undefined;
  /** For how many seconds a key is kept after its last change; undefined: until it is deleted. */
  lifetime?(key: string): number | undefined;
}

export interface EtcdStore extends Store {
  /** A secret that is kept beside the objects: the one that is there, or the one that is made now. */
  keep(make: () => string): Promise<string>;
}

const ROOT = "/registry";
const NOTHING: JsonObject = { metadata: {} };
const COMPACT_EVERY = 5 * 60_000;

/**
 * A store in etcd, with the keys of kube-apiserver and values in JSON: revisions are etcd's, commits its transactions.
 * Reads are answered from a mirror in memory that a watch keeps up, so changes by others show up too. Throws StoreError
 * when etcd cannot be reached, or holds what somebody else wrote.
 */
export async function etcdStore({ prefix = ROOT, history, lifetime = () => undefined, ...options }: EtcdStoreOptions): Promise<EtcdStore> {
  const client = etcdClient(options);
  const root = `/${prefix.split("/").filter(Boolean).join("/")}`;
  const keyOf = (inEtcd: string) => `${ROOT}${inEtcd.slice(root.length)}`;
  const inEtcd = (key: string) => `${root}${key.slice(ROOT.length)}`;
  const beside = `/pintle${root}`;
  try {
    await checkVersion(client, options.endpoints);
    await checkOwner(client, `${root}/`, `${beside}/mark`);
    return await opened();
  } catch (error) {
    client.close();
    throw error;
  }

  async function opened(): Promise<EtcdStore> {
    const copy = await mirror({ client, prefix: `${root}/`, history, keyOf });
    const { ledger: kept } = copy;
    const leaseFor = leases(client);
    const stopCompacting = compactRegularly(client, () => kept.revision());

    /** One question to etcd answers all who asked before it was sent. */
    let asking: Promise<void> | undefined;
    let next: Promise<void> | undefined;
    const askNow = async () => {
      const { header } = await client.range({ key: `${beside}/mark`, countOnly: true });
      await copy.caughtUp(header.revision);
    };
    const askNext = async () => {
      await asking?.catch(() => {});
      next = undefined;
      asking = askNow();
      await asking;
    };

    const check = (key: string) => {
      const why = copy.foreign.get(key);
      if (why !== undefined) throw why;
    };

    return {
      ...kept.reads,
      async get(key, revision) {
        check(key);
        return kept.reads.get(key, revision);
      },
      async range(wanted, range) {
        for (const [key, why] of copy.foreign) if (key.startsWith(wanted)) throw why;
        return kept.reads.range(wanted, range);
      },
      async fresh() {
        next ??= askNext();
        await next;
      },
      async txn(key, expect, change) {
        if ("delete" in change && expect === 0) return { ok: false, current: kept.entry(key) };
        check(key);
        const before = kept.entry(key);
        const seconds = "put" in change ? lifetime(key) : undefined;
        const lease = seconds === undefined ? undefined : await leaseFor(seconds);
        const { header, succeeded, current } = await client.txn({
          key: inEtcd(key),
          modRevision: expect,
          change: "put" in change ? { put: valueText(change.put), lease } : { delete: true },
        });
        if (!succeeded) {
          await copy.caughtUp(header.revision);
          const now = current && keptEntry(key, current.value, current.modRevision);
          return { ok: false, current: now && kept.aside(key, now.value, now.revision).entry };
        }
        const { revision } = header;
        if (revision === kept.revision() + 1) {
          const committed = "put" in change ? kept.put(key, change.put, revision, change.note) : kept.delete(key, revision);
          if (committed !== undefined) return committed;
        }
        // It is stored, whether we hear of it or not.
        await copy.caughtUp(revision).catch(() => {});
        const now = kept.entry(key);
        if (now?.revision === revision) return { ok: true, entry: now, value: now.value };
        const value = "put" in change ? change.put : (before?.value ?? NOTHING);
        return kept.aside(key, value, revision);
      },
      async compact(revision) {
        await kept.reads.compact(revision);
        await client.compact(Math.min(revision, kept.revision())).catch(unlessDone);
      },
      async keep(make) {
        const key = `${beside}/keys`;
        const [there] = (await client.range({ key })).found;
        if (there !== undefined) return there.value.toString();
        const text = make();
        const { current } = await client.txn({ key, modRevision: 0, change: { put: text } });
        // Another server may have been faster.
        return current?.value.toString() ?? text;
      },
      async close() {
        stopCompacting();
        copy.stop();
        client.close();
      },
    };
  }
}

/** What happened longer ago than a while is forgotten, or etcd would keep it forever. */
function compactRegularly(client: EtcdClient, revision: () => number): () => void {
  let before = 0;
  const timer = setInterval(() => {
    if (before > 0) void client.compact(before).catch(() => {});
    before = revision();
  }, COMPACT_EVERY);
  timer.unref();
  return () => clearInterval(timer);
}

function unlessDone(error: unknown): void {
  if (!(error instanceof Error && error.message.includes("has been compacted"))) throw error;
}
