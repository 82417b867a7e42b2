import type { JsonObject } from "pintle/kinds";
import { describe, expect, test } from "vitest";
import { CompactedError, createMemoryStore, type ObjectStore, type StoreEvent } from "./index.ts";

const object = (n: number): JsonObject => ({ metadata: { name: `n${n}` }, data: n });
const dataOf = (value: JsonObject | undefined) => value?.["data"];

async function put(store: ObjectStore, key: string, n: number): Promise<number> {
  const current = await store.get(key);
  const result = await store.txn(key, current?.revision ?? 0, { put: object(n) });
  if (!result.ok) throw new Error("conflict");
  return result.entry.revision;
}
async function remove(store: ObjectStore, key: string): Promise<number> {
  const current = await store.get(key);
  const result = await store.txn(key, current?.revision ?? 0, { delete: true });
  if (!result.ok) throw new Error("conflict");
  return result.entry.revision;
}

describe("txn", () => {
  test("commits only at the expected revision and returns the current entry otherwise", async () => {
    const store = createMemoryStore();
    const first = await store.txn("/r/a", 0, { put: object(1) });
    expect(first).toMatchObject({ ok: true, entry: { revision: 2, value: { metadata: { resourceVersion: "2" } } } });
    expect(await store.txn("/r/a", 0, { put: object(2) })).toMatchObject({ ok: false, current: { revision: 2 } });
    expect(await store.txn("/r/a", 7, { delete: true })).toMatchObject({ ok: false, current: { revision: 2 } });
    expect(await store.txn("/r/b", 3, { put: object(2) })).toEqual({ ok: false, current: undefined });
    expect(await store.txn("/r/b", 0, { delete: true })).toEqual({ ok: false, current: undefined });
    expect(store.currentRevision()).toBe(2);
  });

  test("freezes stored values deeply", async () => {
    const store = createMemoryStore();
    await store.txn("/r/a", 0, { put: { metadata: { labels: { a: "b" } }, list: [{ x: 1 }] } });
    const { value } = (await store.get("/r/a"))!;
    expect(Object.isFrozen(value) && Object.isFrozen(value["metadata"])).toBe(true);
    expect(Object.isFrozen((value["list"] as JsonObject[])[0])).toBe(true);
  });
});

describe("history", () => {
  test("reads a key and a range at an earlier revision", async () => {
    const store = createMemoryStore();
    const r1 = await put(store, "/r/a", 1);
    await put(store, "/r/b", 1);
    await put(store, "/r/a", 2);
    const r2 = await remove(store, "/r/b");
    await put(store, "/r/c", 1);

    expect(dataOf((await store.get("/r/a", r1))?.value)).toBe(1);
    expect(await store.get("/r/b", r1)).toBeUndefined();
    const then = await store.range("/r/", { revision: r2 - 1 });
    expect(then.entries.map((entry) => [entry.key, entry.value["data"]])).toEqual([
      ["/r/a", 2],
      ["/r/b", 1],
    ]);
    expect((await store.range("/r/", { revision: r2 })).entries.map((entry) => entry.key)).toEqual(["/r/a"]);
  });

  test("pages through an earlier revision in key order and counts the remaining entries", async () => {
    const store = createMemoryStore();
    for (let n = 0; n < 5; n++) await put(store, `/r/${n}`, n);
    const revision = store.currentRevision();
    await remove(store, "/r/3");
    await put(store, "/r/25", 9);
    const page = await store.range("/r/", { revision, limit: 2, fromKey: "/r/1\0" });
    expect(page.entries.map((entry) => entry.key)).toEqual(["/r/2", "/r/3"]);
    expect(page.remaining).toBe(1);
  });

  test("throws for revisions that were compacted or evicted", async () => {
    const store = createMemoryStore({ history: 3 });
    for (let n = 0; n < 6; n++) await put(store, "/r/a", n);
    const now = store.currentRevision();
    expect(dataOf((await store.get("/r/a", now - 3))?.value)).toBe(2);
    await expect(store.get("/r/a", now - 4)).rejects.toThrow(CompactedError);
    await expect(store.watch("/r/", now - 4, () => {})).rejects.toMatchObject({ requestedRevision: now - 4, oldestRevision: now - 3 });
    await store.compact(now - 1);
    await expect(store.range("/r/", { revision: now - 2 })).rejects.toThrow(CompactedError);
    expect((await store.range("/r/", { revision: now - 1 })).entries).toHaveLength(1);
  });

  test("evicts history when replaced values are large", async () => {
    const store = createMemoryStore({ historyBytes: 5_000_000 });
    const large = (n: number) => ({ put: { metadata: { name: "a" }, data: String(n).repeat(1_000_000) } });
    for (let n = 0; n < 9; n++) await store.txn("/r/a", (await store.get("/r/a"))?.revision ?? 0, large(n));
    const now = store.currentRevision();
    expect((await store.get("/r/a", now - 3))?.revision).toBe(now - 3);
    await expect(store.get("/r/a", now - 6)).rejects.toThrow(CompactedError);
    // Small values and new keys evict nothing.
    for (let n = 0; n < 50; n++) await put(store, `/r/${n}`, n);
    expect((await store.get("/r/a", now - 3))?.revision).toBe(now - 3);
  });
});

describe("watch", () => {
  test("replays past events, then delivers new ones, once and in order", async () => {
    const store = createMemoryStore();
    const start = store.currentRevision();
    await put(store, "/r/a", 1);
    await put(store, "/s/a", 1);
    const seen: StoreEvent[] = [];
    const stop = await store.watch("/r/", start, (event) => seen.push(event));
    await put(store, "/r/a", 2);
    await remove(store, "/r/a");
    stop();
    await put(store, "/r/b", 1);
    expect(seen.map((event) => [event.type, event.value["data"], dataOf(event.previous?.value)])).toEqual([
      ["put", 1, undefined],
      ["put", 2, 1],
      ["delete", 2, 2],
    ]);
    expect(seen.at(-1)?.value["metadata"]).toMatchObject({ resourceVersion: String(seen.at(-1)?.revision) });
  });

  test("keeps the order of events when a listener writes or watches", async () => {
    const store = createMemoryStore();
    const late: number[] = [];
    const seen: number[] = [];
    await store.watch("/r/", 1, (event) => {
      if (event.revision !== 2) return;
      void put(store, "/r/b", 1);
      void store.watch("/r/", 1, (later) => late.push(later.revision));
    });
    await store.watch("/r/", 1, (event) => seen.push(event.revision));
    await put(store, "/r/a", 1);
    await put(store, "/r/a", 2);
    expect(seen).toEqual([2, 3, 4]);
    expect(late).toEqual([2, 3, 4]);
  });

  test("delivers nothing before a future start revision", async () => {
    const store = createMemoryStore();
    const seen: number[] = [];
    await store.watch("/r/", 3, (event) => seen.push(event.revision));
    for (let n = 0; n < 4; n++) await put(store, "/r/a", n);
    expect(seen).toEqual([4, 5]);
  });
});

test("waitForRevision resolves at the revision or when the signal aborts", async () => {
  const store = createMemoryStore();
  const never = new AbortController();
  const done = store.waitForRevision(3, never.signal);
  await put(store, "/r/a", 1);
  await put(store, "/r/a", 2);
  await done;
  const gaveUp = store.waitForRevision(99, never.signal);
  never.abort();
  await gaveUp;
  expect(store.currentRevision()).toBe(3);
});

test("matches a plain model for random operations, at current and earlier revisions", async () => {
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const store = createMemoryStore({ history: 500 });
  const snapshots = new Map<number, Map<string, number>>();
  const model = new Map<string, number>();
  for (let step = 0; step < 3000; step++) {
    const key = `/r/${random(8)}/${random(200)}`;
    if (model.has(key) && random(3) === 0) {
      await remove(store, key);
      model.delete(key);
    } else {
      await put(store, key, step);
      model.set(key, step);
    }
    if (step > 2500) snapshots.set(store.currentRevision(), new Map(model));
  }
  for (const [revision, then] of [...snapshots].filter(() => random(10) === 0)) {
    const prefix = `/r/${random(8)}/`;
    const expected = [...then].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
    const { entries } = await store.range(prefix, { revision });
    expect(entries.map((entry) => [entry.key, entry.value["data"]])).toEqual(expected);
  }
});
