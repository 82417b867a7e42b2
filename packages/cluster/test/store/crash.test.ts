import { describe, expect, test } from "vitest";
import { type Change, fileStore, memoryStore, type Store, StoreError } from "../../src/store/index.ts";
import { object, seeded, step, textOf } from "./history.ts";
import { type SimulatedDisk, simulatedDisk } from "./simulated-disk.ts";

const folder = "/data";
const log = `${folder}/00000001.log`;
const open = (disk: SimulatedDisk, options: { fsync?: boolean; compactAt?: number } = {}) => fileStore({ folder, disk, ...options });

/** A small history, and what the store held at each revision of it. */
async function written(steps: number, seed: number, size: number) {
  const disk = simulatedDisk();
  const store = await open(disk);
  const random = seeded(seed);
  const states = new Map([[1, "[]"]]);
  const ends = [disk.read(log).length];
  for (let i = 0; i < steps; i++) {
    const result = await step(store, random, size);
    if (!result.ok) continue;
    states.set(store.currentRevision(), await textOf(store));
    ends.push(disk.read(log).length);
  }
  return { disk, states, ends, bytes: disk.read(log) };
}

test("cut at any byte, the log gives what was whole, and goes on from there", { timeout: 60_000 }, async () => {
  const { states, ends, bytes } = await written(12, 5, 90);
  for (let length = 0; length <= bytes.length; length++) {
    const disk = simulatedDisk(new Map([[log, Buffer.from(bytes.subarray(0, length))]]));
    const store = await open(disk);
    const whole = ends.filter((end) => end <= length).length || 1;
    expect(store.currentRevision()).toBe(whole);
    expect(await textOf(store)).toBe(states.get(whole));
    if (length % 7 !== 0) continue;
    await store.txn("/registry/things/new", 0, { put: object("new", length) });
    const after = await textOf(store);
    expect(await textOf(await open(disk.killed()))).toBe(after);
  }
});

test("one bit anywhere in the log: it is refused, and the file is named", { timeout: 60_000 }, async () => {
  const { bytes, ends } = await written(9, 6, 30);
  for (let bit = 0; bit < bytes.length * 8; bit += 3) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    const disk = simulatedDisk(new Map([[log, flipped]]));
    const refusal = await open(disk).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    if (refusal === undefined) throw new Error(`bit ${bit} changed, and nobody noticed`);
    expect(refusal).toBeInstanceOf(StoreError);
    const place = ends.findLast((end) => end <= bit >> 3) ?? 0;
    expect(refusal.message).toMatch(new RegExp(`00000001\\.log (is damaged at byte ${place}\\b|has format \\d)`));
    expect(disk.read(log).equals(flipped)).toBe(true);
  }
});

test("a snapshot that is damaged or cut is refused", async () => {
  const disk = simulatedDisk();
  const store = await open(disk, { compactAt: 600 });
  const random = seeded(7);
  for (let i = 0; i < 60; i++) await step(store, random, 30);
  await store.close();
  const name = disk.names(folder).find((each) => each.endsWith(".snapshot"));
  if (name === undefined) throw new Error("there is no snapshot");
  const files = new Map(disk.names(folder).map((each) => [`${folder}/${each}`, disk.read(`${folder}/${each}`)]));
  const bytes = disk.read(`${folder}/${name}`);
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1 << (at & 7);
    for (const bad of [flipped, Buffer.from(bytes.subarray(0, at))]) {
      await expect(open(simulatedDisk(new Map([...files, [`${folder}/${name}`, bad]])))).rejects.toThrow(
        /\.snapshot (is damaged|has format)/,
      );
    }
  }
});

class Killed extends Error {}

/** Runs steps until the disk stops the process at its nth call; says what had been acknowledged and what was asked for. */
async function until(disk: SimulatedDisk, calls: number, seed: number, options: { fsync: boolean; together: number }) {
  const random = seeded(seed);
  const model = memoryStore();
  const states = new Map([[1, "[]"]]);
  let acknowledged = 1;
  let killed = false;
  disk.before = (_call, bytes) => {
    if (killed) throw new Killed();
    if (--calls > 0) return undefined;
    killed = true;
    if (bytes === undefined) throw new Killed();
    return { through: Math.floor(random() * bytes.length), error: new Killed() };
  };
  try {
    const store = await open(disk, { fsync: options.fsync, compactAt: 3000 });
    while (!killed) {
      const wishes = Array.from({ length: options.together }, (_, i) => wish(model, i, random));
      const asked = [];
      for (const { key, expect, change } of wishes) {
        await model.txn(key, expect, change);
        states.set(model.currentRevision(), await textOf(model));
        asked.push(store.txn(key, expect, change).then((result) => result.ok && Math.max(acknowledged, result.entry.revision)));
      }
      for (const each of await Promise.allSettled(asked)) {
        if (each.status === "fulfilled" && each.value !== false) acknowledged = Math.max(acknowledged, each.value);
      }
    }
  } catch {}
  return { states, acknowledged };
}

function wish(model: Store, lane: number, random: () => number): { key: string; expect: number; change: Change } {
  const key = `/registry/things/n${lane}`;
  const now = lanes(model).get(key) ?? 0;
  const change: Change = now !== 0 && random() < 0.3 ? { delete: true } : { put: object(key, "y".repeat(Math.floor(random() * 900))) };
  return { key, expect: now, change };
}
const known = new WeakMap<Store, Map<string, number>>();
/** The model's keys and their revisions, without waiting. */
function lanes(model: Store): Map<string, number> {
  let map = known.get(model);
  if (map === undefined) {
    const fresh = new Map<string, number>();
    void model.watch("/registry/", 1, ({ type, key, revision }) => void (type === "put" ? fresh.set(key, revision) : fresh.delete(key)));
    map = fresh;
    known.set(model, map);
  }
  return map;
}

describe.each([false, true])("ended at any of its calls (fsync: %s)", (fsync) => {
  test("killed: every acknowledged commit is there, and nothing that was not asked for", async () => {
    for (let calls = 1; calls < 70; calls++) {
      const disk = simulatedDisk();
      const { states, acknowledged } = await until(disk, calls, calls, { fsync, together: 1 + (calls % 4) });
      const store = await open(disk.killed());
      expect(store.currentRevision(), `after ${calls} calls`).toBeGreaterThanOrEqual(acknowledged);
      expect(await textOf(store), `after ${calls} calls`).toBe(states.get(store.currentRevision()));
    }
  });
});

test("a power cut at any of its calls, with fsync: every acknowledged commit is there, and nothing that was not asked for", async () => {
  for (let round = 0; round < 130; round++) {
    const calls = 1 + (round % 110);
    const disk = simulatedDisk();
    const { states, acknowledged } = await until(disk, calls, round, { fsync: true, together: 1 + (round % 5) });
    const store = await open(disk.powerCut(seeded(round)), { fsync: true });
    expect(store.currentRevision(), `round ${round}`).toBeGreaterThanOrEqual(acknowledged);
    expect(await textOf(store), `round ${round}`).toBe(states.get(store.currentRevision()));
  }
});
