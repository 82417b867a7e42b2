import type { Random } from "pintle/queue";
import { describe, expect, test } from "vitest";
import { Compacted, fileStore, memoryStore, type Store } from "../../src/store/index.ts";
import { object, plain, seeded } from "./history.ts";
import { type SimulatedDisk, simulatedDisk } from "./simulated-disk.ts";

const options = (disk: SimulatedDisk, fsync: boolean) => ({ folder: "/data", disk, fsync, history: 100, compactAt: 4000 });

/** One random question or change, of any kind a store takes. */
async function operate(store: Store, random: Random): Promise<unknown> {
  const name = `n${Math.floor(random() * 12)}`;
  const key = `/registry/things/${name}`;
  const [kind, back, limit, off] = [random(), Math.floor(random() * 30), 1 + Math.floor(random() * 6), random() < 0.1 ? 1 : 0];
  const at = Math.max(1, store.currentRevision() - back);
  const expected = ((await store.get(key))?.revision ?? 0) + off;
  if (kind < 0.15) return store.get(key, at).catch(tooOld);
  if (kind < 0.3) return store.range("/registry/things/", { revision: at, limit, fromKey: key }).catch(tooOld);
  if (kind < 0.35) return store.compact(at);
  if (kind < 0.45) {
    const seen: unknown[] = [];
    const stop = await store.watch("/registry/", at, (event) => seen.push(event)).catch(tooOld);
    if (typeof stop === "function") stop();
    return [seen, typeof stop];
  }
  return store.txn(key, expected, kind < 0.6 ? { delete: true } : { put: object(name, Math.floor(random() * 1000)) });
}

function tooOld(error: unknown): string {
  if (error instanceof Compacted) return error.message;
  throw error;
}

describe.each([false, true])("a store in a folder (fsync: %s)", (fsync) => {
  test("answers as one in memory does, whatever it is asked", async () => {
    const model = memoryStore({ history: 100 });
    const store = await fileStore(options(simulatedDisk(), fsync));
    const [ours, theirs] = [seeded(21), seeded(21)];
    for (let i = 0; i < 500; i++) {
      expect(plain(await operate(store, ours))).toEqual(plain(await operate(model, theirs)));
      expect(store.currentRevision()).toBe(model.currentRevision());
    }
  });

  test("also when it starts again now and then, but for history from before", async () => {
    const model = memoryStore();
    let disk = simulatedDisk();
    let store = await fileStore(options(disk, fsync));
    const random = seeded(22);
    for (let i = 0; i < 200; i++) {
      const key = `/registry/things/n${Math.floor(random() * 12)}`;
      const expected = (await model.get(key))?.revision ?? 0;
      const change = random() < 0.3 ? ({ delete: true } as const) : { put: object(key, i) };
      expect(plain(await store.txn(key, expected, change))).toEqual(plain(await model.txn(key, expected, change)));
      if (random() > 0.05) continue;
      disk = disk.killed();
      store = await fileStore(options(disk, fsync));
      expect(plain(await store.range("/registry/"))).toEqual(plain(await model.range("/registry/")));
      expect(store.currentRevision()).toBe(model.currentRevision());
    }
  });
});
