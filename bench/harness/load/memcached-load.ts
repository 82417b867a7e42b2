import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Memcached } from "../../peers/pintle/memcached.ts";
import { runConcurrently } from "./run-concurrently.ts";

export const NAMESPACE = "default";
const CREATORS = 16;

/** Memcached objects in the default namespace, and a watch that counts those with a status. */
export interface MemcachedLoad {
  create(name: string): Promise<void>;
  /** Creates `cache-<from>` to `cache-<to - 1>`. */
  createRange(from: number, to: number): Promise<void>;
  /** Resolves when `count` objects have a status and a Deployment. */
  waitForStatuses(count: number): Promise<void>;
  /** Deletes the Memcacheds and their Deployments: no garbage collector runs here. */
  deleteAll(): Promise<void>;
  stop(): Promise<void>;
}

export function createMemcachedLoad(client: Client): MemcachedLoad {
  const abort = new AbortController();
  const written = new Set<string>();
  let checkCount = () => {};
  const watching = (async () => {
    // The server may end a watch at any time; the next one starts with the existing objects.
    while (!abort.signal.aborted)
      for await (const { type, object } of client.watch(Memcached, { signal: abort.signal })) {
        if (type === "BOOKMARK" || object.status?.conditions === undefined) continue;
        written.add(object.metadata.name);
        checkCount();
      }
  })().catch((error) => {
    if (!abort.signal.aborted) throw error;
  });
  // waitForStatuses reports the error.
  watching.catch(() => {});
  const create = async (name: string) => {
    await client.create(Memcached, { metadata: { name, namespace: NAMESPACE }, spec: { size: 1 } });
  };
  return {
    create,
    createRange: (from, to) => runConcurrently(to - from, CREATORS, (i) => create(`cache-${from + i}`)),
    async waitForStatuses(count) {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      const allWritten = new Promise<void>((resolve, reject) => {
        timeout.addEventListener("abort", () =>
          reject(new Error(`${written.size} of ${count} objects have a status after ${TIMEOUT_MS / 1000} s`)),
        );
        checkCount = () => written.size >= count && resolve();
        checkCount();
      });
      await Promise.race([allWritten, watching.then(() => Promise.reject(new Error(`the watch ended at ${written.size} of ${count}`)))]);
      await checkDeployments(client, count);
    },
    deleteAll: () => deleteMemcacheds(client),
    async stop() {
      abort.abort();
      await watching;
    },
  };
}

/** An operator that takes longer than this has failed. */
const TIMEOUT_MS = 600_000;

/** Rejects an operator that writes a status without having created the Deployment. */
async function checkDeployments(client: Client, objects: number): Promise<void> {
  const { items } = await client.list(Deployment, { namespace: NAMESPACE });
  if (items.length < objects) throw new Error(`${objects} objects have a status, but there are ${items.length} Deployments`);
}

async function deleteMemcacheds(client: Client): Promise<void> {
  for (const kind of [Memcached, Deployment])
    for (;;) {
      const { items } = await client.list(kind, { namespace: NAMESPACE, limit: 1000 });
      if (items.length === 0) break;
      await runConcurrently(items.length, CREATORS, (i) => deleteObject(client, kind, items[i]!));
    }
}

/** Removes finalizers first: the operator that set them has stopped. */
async function deleteObject(client: Client, kind: typeof Memcached | typeof Deployment, object: Memcached | Deployment): Promise<void> {
  const ref = { name: object.metadata.name, namespace: NAMESPACE };
  if ((object.metadata.finalizers?.length ?? 0) > 0)
    await client.patch(kind as typeof Deployment, ref, { merge: { metadata: { finalizers: null } } } as never);
  await client.delete(kind as typeof Deployment, ref);
}
