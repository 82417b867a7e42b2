import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Memcached } from "../peers/pintle/memcached.ts";
import { atOnce } from "./at-once.ts";

export const NAMESPACE = "default";
const CREATORS = 16;

/** A crowd of Memcacheds, and who of them has been taken care of. */
export interface Crowd {
  create(name: string): Promise<void>;
  /** `cache-<from>` to `cache-<to - 1>`. */
  grow(from: number, to: number): Promise<void>;
  /** When so many have a status. */
  settled(count: number): Promise<void>;
  /** Deletes everything; nobody collects garbage here. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

export function crowd(client: Client): Crowd {
  const abort = new AbortController();
  const written = new Set<string>();
  let check = () => {};
  const watching = (async () => {
    // A server may end a watch whenever it likes; the next one begins with everything there is.
    while (!abort.signal.aborted)
      for await (const { type, object } of client.watch(Memcached, { signal: abort.signal })) {
        if (type === "BOOKMARK" || object.status?.conditions === undefined) continue;
        written.add(object.metadata.name);
        check();
      }
  })().catch((error) => {
    if (!abort.signal.aborted) throw error;
  });
  // Whoever waits for objects hears of it.
  watching.catch(() => {});
  const create = async (name: string) => {
    await client.create(Memcached, { metadata: { name, namespace: NAMESPACE }, spec: { size: 1 } });
  };
  return {
    create,
    grow: (from, to) => atOnce(to - from, CREATORS, (i) => create(`cache-${from + i}`)),
    async settled(count) {
      const late = AbortSignal.timeout(LATE_MS);
      const all = new Promise<void>((resolve, reject) => {
        late.addEventListener("abort", () =>
          reject(new Error(`${written.size} of ${count} objects have a status after ${LATE_MS / 1000} s`)),
        );
        check = () => written.size >= count && resolve();
        check();
      });
      await Promise.race([all, watching.then(() => Promise.reject(new Error(`the watch ended at ${written.size} of ${count}`)))]);
      await checked(client, count);
    },
    clear: () => cleared(client),
    async stop() {
      abort.abort();
      await watching;
    },
  };
}

/** Whoever has not come so far by then does not arrive. */
const LATE_MS = 600_000;

/** A status that was written without its Deployment would be fast, and wrong. */
async function checked(client: Client, objects: number): Promise<void> {
  const { items } = await client.list(Deployment, { namespace: NAMESPACE });
  if (items.length < objects) throw new Error(`${objects} objects have a status, but there are ${items.length} Deployments`);
}

async function cleared(client: Client): Promise<void> {
  for (const kind of [Memcached, Deployment])
    for (;;) {
      const { items } = await client.list(kind, { namespace: NAMESPACE, limit: 1000 });
      if (items.length === 0) break;
      await atOnce(items.length, CREATORS, (i) => removed(client, kind, items[i]!));
    }
}

/** Also what an operator wanted to have a say in, and is no longer there to have it. */
async function removed(client: Client, kind: typeof Memcached | typeof Deployment, object: Memcached | Deployment): Promise<void> {
  const ref = { name: object.metadata.name, namespace: NAMESPACE };
  if ((object.metadata.finalizers?.length ?? 0) > 0)
    await client.patch(kind as typeof Deployment, ref, { merge: { metadata: { finalizers: null } } } as never);
  await client.delete(kind as typeof Deployment, ref);
}
