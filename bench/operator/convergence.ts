import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Memcached } from "../../examples/memcached/src/memcached.ts";
import { atOnce } from "./at-once.ts";
import type { Measured } from "./process.ts";
import { percentile } from "./spread.ts";

/** One run of one operator: from nothing to so many objects with a Deployment and a status, then changes. */
export interface Convergence {
  readonly seconds: number;
  /** Of the whole process, its start included. */
  readonly cpuSeconds: number;
  readonly peakMb: number;
  /** Milliseconds from sending a change to the start of the reconcile that sees it, at a steady rate. */
  readonly p50: number;
  readonly p99: number;
}

const NAMESPACE = "default";
const CREATORS = 16;
const CHANGES = 300;
const CHANGES_PER_SECOND = 100;

export async function convergence(client: Client, operator: Measured, objects: number): Promise<Convergence> {
  const status = statuses(client);
  try {
    await create(client, "first");
    await status.reached(1);
    await operator.quiet();
    const started = performance.now();
    await atOnce(objects, CREATORS, (i) => create(client, `cache-${i}`));
    await status.reached(objects + 1);
    const seconds = (performance.now() - started) / 1000;
    await operator.quiet();
    const { peakMb } = operator.memory();
    const cpuSeconds = operator.cpu();
    await checked(client, objects + 1);
    const latencies = await changed(client, operator, Math.min(CHANGES, objects));
    return { seconds, cpuSeconds, peakMb, p50: percentile(latencies, 50), p99: percentile(latencies, 99) };
  } finally {
    await status.stop();
  }
}

function create(client: Client, name: string): Promise<unknown> {
  return client.create(Memcached, { metadata: { name, namespace: NAMESPACE }, spec: { size: 1 } });
}

/** Counts the objects whose status has been written, by a watch. */
function statuses(client: Client) {
  const abort = new AbortController();
  const written = new Set<string>();
  let check = () => {};
  const watching = (async () => {
    for await (const { type, object } of client.watch(Memcached, { signal: abort.signal })) {
      if (type === "BOOKMARK" || object.status?.conditions === undefined) continue;
      written.add(object.metadata.name);
      check();
    }
  })().catch((error) => {
    if (!abort.signal.aborted) throw error;
  });
  return {
    async reached(count: number): Promise<void> {
      const all = new Promise<void>((resolve) => {
        check = () => written.size >= count && resolve();
        check();
      });
      await Promise.race([all, watching.then(() => Promise.reject(new Error(`the watch ended at ${written.size} of ${count}`)))]);
    },
    async stop(): Promise<void> {
      abort.abort();
      await watching;
    },
  };
}

/** A status that was written without its Deployment would be fast, and wrong. */
async function checked(client: Client, objects: number): Promise<void> {
  const { items } = await client.list(Deployment, { namespace: NAMESPACE });
  if (items.length !== objects) throw new Error(`${objects} objects have converged, but there are ${items.length} Deployments`);
}

/** Changes objects at a steady rate and waits until each change was reconciled. Milliseconds, in ascending order. */
async function changed(client: Client, operator: Measured, count: number): Promise<readonly number[]> {
  const sent = new Map<string, number>();
  const latencies: number[] = [];
  const sending = Array.from({ length: count }, async (_, i) => {
    await delay((i * 1000) / CHANGES_PER_SECOND);
    const name = `cache-${i}`;
    sent.set(name, performance.timeOrigin + performance.now());
    await client.patch(Memcached, { name, namespace: NAMESPACE }, { merge: { spec: { size: 2 } } });
  });
  const done = Promise.all(sending);
  while (latencies.length < count) {
    const { value } = (await operator.lines.next()) as { readonly value: string };
    const [name = "", , micros] = value.split(" ");
    const at = sent.get(name);
    if (at === undefined) continue;
    // A reconcile looks again after its own writes: only the first look counts.
    sent.delete(name);
    latencies.push(Number(micros) / 1000 - at);
  }
  await done;
  return latencies.sort((a, b) => a - b);
}

/** Nobody collects garbage here: both kinds are emptied. */
export async function cleared(client: Client): Promise<void> {
  for (const kind of [Memcached, Deployment])
    for (;;) {
      const { items } = await client.list(kind, { namespace: NAMESPACE, limit: 1000 });
      if (items.length === 0) break;
      await atOnce(items.length, CREATORS, (i) => client.delete(kind, { name: items[i]!.metadata.name, namespace: NAMESPACE }));
    }
}
