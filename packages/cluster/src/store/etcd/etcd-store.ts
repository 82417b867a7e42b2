import { ignoreError, runInBackground } from "pintle/internal/errors";
import type { JsonObject } from "pintle/kinds";
import type { ObjectStore } from "../store.ts";
import { encodeStoredValue } from "../value-json.ts";
import { checkEtcdVersion, claimPrefix } from "./claim-prefix.ts";
import { createEtcdClient, type EtcdClient, type EtcdClientOptions } from "./client.ts";
import { decodeEtcdEntry } from "./etcd-value.ts";
import { startEtcdMirror } from "./mirror.ts";

export interface EtcdStoreOptions extends EtcdClientOptions {
  /** Key prefix in etcd. Default: "/registry". */
  readonly prefix?: string | undefined;
  readonly history?: number | undefined;
  /** TTL of a key in seconds after its last change; undefined: no expiry. */
  getTtlSeconds?(key: string): number | undefined;
}

export interface EtcdStore extends ObjectStore {
  /** Returns the secret stored beside the objects, creating it with `make()` if there is none. */
  loadOrCreateSecret(make: () => string): Promise<string>;
  /** The key of that secret. */
  readonly secretKey: string;
}

const ROOT = "/registry";
const EMPTY_OBJECT: JsonObject = { metadata: {} };
const COMPACTION_INTERVAL_MS = 5 * 60_000;

/**
 * Opens a store in etcd with the keys of kube-apiserver and JSON values; revisions are etcd's, commits are etcd transactions. Reads are
 * served from an in-memory mirror that a watch keeps up to date, so changes by other writers are visible too. Throws `StoreError` when
 * etcd is unreachable or the prefix holds data of another writer.
 */
export async function openEtcdStore({
  prefix = ROOT,
  history,
  getTtlSeconds = () => undefined,
  ...options
}: EtcdStoreOptions): Promise<EtcdStore> {
  const client = createEtcdClient(options);
  const etcdRoot = `/${prefix.split("/").filter(Boolean).join("/")}`;
  const fromEtcdKey = (inEtcd: string) => `${ROOT}${inEtcd.slice(etcdRoot.length)}`;
  const toEtcdKey = (key: string) => `${etcdRoot}${key.slice(ROOT.length)}`;
  const metadataRoot = `/pintle${etcdRoot}`;
  const secretKey = `${metadataRoot}/keys`;
  try {
    await checkEtcdVersion(client, options.endpoints);
    await claimPrefix(client, `${etcdRoot}/`, `${metadataRoot}/mark`);
    return await openStore();
  } catch (error) {
    client.close();
    throw error;
  }

  async function openStore(): Promise<EtcdStore> {
    const mirror = await startEtcdMirror({ client, prefix: `${etcdRoot}/`, history, fromEtcdKey });
    const { mvcc } = mirror;
    const leaseFor = createLeasePool(client);
    const stopCompacting = startAutoCompaction(client, () => mvcc.revision());

    /** One request to etcd serves all callers that were waiting when it was sent. */
    let inFlight: Promise<void> | undefined;
    let queued: Promise<void> | undefined;
    const catchUp = async () => {
      const { header } = await client.range({ key: `${metadataRoot}/mark`, countOnly: true });
      await mirror.waitForRevision(header.revision);
    };
    const catchUpNext = async () => {
      await inFlight?.catch(() => {});
      queued = undefined;
      inFlight = catchUp();
      await inFlight;
    };

    const checkNotForeign = (key: string) => {
      const error = mirror.foreignKeys.get(key);
      if (error !== undefined) throw error;
    };

    return {
      ...mvcc.readMethods,
      async get(key, revision) {
        checkNotForeign(key);
        return mvcc.readMethods.get(key, revision);
      },
      async range(prefix, range) {
        for (const [key, error] of mirror.foreignKeys) if (key.startsWith(prefix)) throw error;
        return mvcc.readMethods.range(prefix, range);
      },
      async waitUntilFresh() {
        queued ??= catchUpNext();
        await queued;
      },
      async checkHealth() {
        // A linearizable read: it fails without a quorum too.
        await client.range({ key: `${metadataRoot}/mark`, countOnly: true });
      },
      async txn(key, expect, change) {
        if ("delete" in change && expect === 0) return { ok: false, current: mvcc.getEntry(key) };
        checkNotForeign(key);
        const before = mvcc.getEntry(key);
        const seconds = "put" in change ? getTtlSeconds(key) : undefined;
        const lease = seconds === undefined ? undefined : await leaseFor(seconds);
        const { header, succeeded, current } = await client.txn({
          key: toEtcdKey(key),
          modRevision: expect,
          change: "put" in change ? { put: encodeStoredValue(change.put), lease } : { delete: true },
        });
        if (!succeeded) {
          await mirror.waitForRevision(header.revision);
          const now = current && decodeEtcdEntry(key, current.value, current.modRevision);
          return { ok: false, current: now && mvcc.createDetachedEntry(key, now.value, now.revision).entry };
        }
        const { revision } = header;
        if (revision === mvcc.revision() + 1) {
          const committed = "put" in change ? mvcc.put(key, change.put, revision, change.attachment) : mvcc.delete(key, revision);
          if (committed !== undefined) return committed;
        }
        // The change is committed even if the watch does not deliver it in time.
        await mirror.waitForRevision(revision).catch(() => {});
        const now = mvcc.getEntry(key);
        if (now?.revision === revision) return { ok: true, entry: now, value: now.value };
        const value = "put" in change ? change.put : (before?.value ?? EMPTY_OBJECT);
        return mvcc.createDetachedEntry(key, value, revision);
      },
      async compact(revision) {
        await mvcc.readMethods.compact(revision);
        await client.compact(Math.min(revision, mvcc.revision())).catch(ignoreAlreadyCompacted);
      },
      secretKey,
      async loadOrCreateSecret(make) {
        const key = secretKey;
        const [existing] = (await client.range({ key })).kvs;
        if (existing !== undefined) return existing.value.toString();
        const text = make();
        const { current } = await client.txn({ key, modRevision: 0, change: { put: text } });
        // Another server may have created it first.
        return current?.value.toString() ?? text;
      },
      async close() {
        stopCompacting();
        mirror.stop();
        client.close();
      },
    };
  }
}

/** Compacts revisions older than the interval, as kube-apiserver does; etcd would keep them for ever. */
function startAutoCompaction(client: EtcdClient, revision: () => number): () => void {
  let before = 0;
  const timer = setInterval(() => {
    if (before > 0) runInBackground(client.compact(before), ignoreError);
    before = revision();
  }, COMPACTION_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function ignoreAlreadyCompacted(error: unknown): void {
  if (!(error instanceof Error && error.message.includes("has been compacted"))) throw error;
}

/** A lease is shared by many keys for this long, because a lease costs etcd more than a key. */
const LEASE_SHARING_SECONDS = 60;
const MAX_KEYS_PER_LEASE = 1000;

/** Returns a function that grants leases of at least the given TTL in seconds. */
function createLeasePool(client: EtcdClient): (seconds: number) => Promise<bigint> {
  const shared = new Map<number, { readonly lease: Promise<bigint>; readonly until: number; users: number }>();
  return (seconds) => {
    const now = performance.now();
    const known = shared.get(seconds);
    if (known !== undefined && known.until > now && known.users < MAX_KEYS_PER_LEASE) {
      known.users++;
      return known.lease;
    }
    const lease = client.grantLease(seconds + LEASE_SHARING_SECONDS);
    shared.set(seconds, { lease, until: now + LEASE_SHARING_SECONDS * 1000, users: 1 });
    runInBackground(lease, () => shared.delete(seconds));
    return lease;
  };
}
