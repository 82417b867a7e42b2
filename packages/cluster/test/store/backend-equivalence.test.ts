import type { Random } from "pintle/internal/clock";
import { describe, expect, test } from "vitest";
import { CompactedError, createMemoryStore, type ObjectStore, openFileStore } from "../../src/store/index.ts";
import { createObject, seededRandom, toComparable } from "./random-operations.ts";
import { type SimulatedDisk, simulatedDisk } from "./simulated-disk.ts";

const options = (disk: SimulatedDisk, fsync: boolean) => ({ folder: "/data", disk, fsync, history: 100, compactAt: 4000 });

/** Runs one random read or transaction. */
async function runRandomOperation(store: ObjectStore, random: Random): Promise<unknown> {
  const name = `n${Math.floor(random() * 12)}`;
  const key = `/registry/things/${name}`;
  const [kind, back, limit, off] = [random(), Math.floor(random() * 30), 1 + Math.floor(random() * 6), random() < 0.1 ? 1 : 0];
  const at = Math.max(1, store.currentRevision() - back);
  const expected = ((await store.get(key))?.revision ?? 0) + off;
  if (kind < 0.15) return store.get(key, at).catch(compactedMessage);
  if (kind < 0.3) return store.range("/registry/things/", { revision: at, limit, fromKey: key }).catch(compactedMessage);
  if (kind < 0.35) return store.compact(at);
  if (kind < 0.45) {
    const seen: unknown[] = [];
    const stop = await store.watch("/registry/", at, (event) => seen.push(event)).catch(compactedMessage);
    if (typeof stop === "function") stop();
    return [seen, typeof stop];
  }
  return store.txn(key, expected, kind < 0.6 ? { delete: true } : { put: createObject(name, Math.floor(random() * 1000)) });
}

function compactedMessage(error: unknown): string {
  if (error instanceof CompactedError) return error.message;
  throw error;
}

describe.each([false, true])("a file store (fsync: %s)", (fsync) => {
  test("returns the same results as a memory store for random operations", async () => {
    const model = createMemoryStore({ history: 100 });
    const store = await openFileStore(options(simulatedDisk(), fsync));
    const [ours, theirs] = [seededRandom(21), seededRandom(21)];
    for (let i = 0; i < 500; i++) {
      expect(toComparable(await runRandomOperation(store, ours))).toEqual(toComparable(await runRandomOperation(model, theirs)));
      expect(store.currentRevision()).toBe(model.currentRevision());
    }
  });

  test("returns the same results after random restarts, except for earlier history", async () => {
    const model = createMemoryStore();
    let disk = simulatedDisk();
    let store = await openFileStore(options(disk, fsync));
    const random = seededRandom(22);
    for (let i = 0; i < 200; i++) {
      const key = `/registry/things/n${Math.floor(random() * 12)}`;
      const expected = (await model.get(key))?.revision ?? 0;
      const change = random() < 0.3 ? ({ delete: true } as const) : { put: createObject(key, i) };
      expect(toComparable(await store.txn(key, expected, change))).toEqual(toComparable(await model.txn(key, expected, change)));
      if (random() > 0.05) continue;
      disk = disk.killed();
      store = await openFileStore(options(disk, fsync));
      expect(toComparable(await store.range("/registry/"))).toEqual(toComparable(await model.range("/registry/")));
      expect(store.currentRevision()).toBe(model.currentRevision());
    }
  });
});
