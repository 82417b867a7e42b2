import { describe, expect, test } from "vitest";
import { createMemoryStore, type ObjectStore, openFileStore, type StoreChange, StoreError } from "../../src/store/index.ts";
import { createObject, readStateText, runRandomTxn, seededRandom } from "./random-operations.ts";
import { type SimulatedDisk, simulatedDisk } from "./simulated-disk.ts";

const folder = "/data";
const log = `${folder}/00000001.log`;
const open = (disk: SimulatedDisk, options: { fsync?: boolean; compactAt?: number } = {}) => openFileStore({ folder, disk, ...options });

/** Commits random transactions; returns the disk and the state at each revision. */
async function writeRandomly(steps: number, seed: number, size: number) {
  const disk = simulatedDisk();
  const store = await open(disk);
  const random = seededRandom(seed);
  const states = new Map([[1, "[]"]]);
  const ends = [disk.read(log).length];
  for (let i = 0; i < steps; i++) {
    const result = await runRandomTxn(store, random, size);
    if (!result.ok) continue;
    states.set(store.currentRevision(), await readStateText(store));
    ends.push(disk.read(log).length);
  }
  return { disk, states, ends, bytes: disk.read(log) };
}

test("recovers all complete records from a log truncated at any byte, and appends after them", { timeout: 60_000 }, async () => {
  const { states, ends, bytes } = await writeRandomly(12, 5, 90);
  for (let length = 0; length <= bytes.length; length++) {
    const disk = simulatedDisk(new Map([[log, Buffer.from(bytes.subarray(0, length))]]));
    const store = await open(disk);
    const whole = ends.filter((end) => end <= length).length || 1;
    expect(store.currentRevision()).toBe(whole);
    expect(await readStateText(store)).toBe(states.get(whole));
    if (length % 7 !== 0) continue;
    await store.txn("/registry/things/new", 0, { put: createObject("new", length) });
    const after = await readStateText(store);
    expect(await readStateText(await open(disk.killed()))).toBe(after);
  }
});

test("refuses a log with a single flipped bit and names the file", { timeout: 60_000 }, async () => {
  const { bytes, ends } = await writeRandomly(9, 6, 30);
  for (let bit = 0; bit < bytes.length * 8; bit += 3) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    const disk = simulatedDisk(new Map([[log, flipped]]));
    const refusal = await open(disk).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    if (refusal === undefined) throw new Error(`bit ${bit} flipped without an error`);
    expect(refusal).toBeInstanceOf(StoreError);
    const headerBytes = "pintle log 2\n".length;
    const place = [headerBytes, ...ends].findLast((end) => end <= bit >> 3) ?? 0;
    expect(refusal.message).toMatch(new RegExp(`00000001\\.log (is damaged at byte ${place}\\b|has format \\d)`));
    expect(disk.read(log).equals(flipped)).toBe(true);
  }
});

test("refuses a damaged or truncated snapshot", async () => {
  const disk = simulatedDisk();
  const store = await open(disk, { compactAt: 600 });
  const random = seededRandom(7);
  for (let i = 0; i < 60; i++) await runRandomTxn(store, random, 30);
  await store.close();
  const name = disk.listFiles(folder).find((each) => each.endsWith(".snapshot"));
  if (name === undefined) throw new Error("there is no snapshot");
  const files = new Map(disk.listFiles(folder).map((each) => [`${folder}/${each}`, disk.read(`${folder}/${each}`)]));
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

/** Runs transactions until the disk fails the process at its nth call; returns the expected states and the last acknowledged revision. */
async function until(disk: SimulatedDisk, calls: number, seed: number, options: { fsync: boolean; together: number }) {
  const random = seededRandom(seed);
  const model = createMemoryStore();
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
      const txns = Array.from({ length: options.together }, (_, i) => randomTxn(model, i, random));
      const results = [];
      for (const { key, expect, change } of txns) {
        await model.txn(key, expect, change);
        states.set(model.currentRevision(), await readStateText(model));
        results.push(store.txn(key, expect, change).then((result) => result.ok && Math.max(acknowledged, result.entry.revision)));
      }
      for (const each of await Promise.allSettled(results)) {
        if (each.status === "fulfilled" && each.value !== false) acknowledged = Math.max(acknowledged, each.value);
      }
    }
  } catch {}
  return { states, acknowledged };
}

function randomTxn(model: ObjectStore, index: number, random: () => number): { key: string; expect: number; change: StoreChange } {
  const key = `/registry/things/n${index}`;
  const now = currentRevisions(model).get(key) ?? 0;
  const change: StoreChange =
    now !== 0 && random() < 0.3 ? { delete: true } : { put: createObject(key, "y".repeat(Math.floor(random() * 900))) };
  return { key, expect: now, change };
}
const known = new WeakMap<ObjectStore, Map<string, number>>();
/** The model's current keys and revisions, without awaiting. */
function currentRevisions(model: ObjectStore): Map<string, number> {
  let map = known.get(model);
  if (map === undefined) {
    const fresh = new Map<string, number>();
    void model.watch("/registry/", 1, ({ type, key, revision }) => void (type === "put" ? fresh.set(key, revision) : fresh.delete(key)));
    map = fresh;
    known.set(model, map);
  }
  return map;
}

describe.each([false, true])("a process that ends at any disk call (fsync: %s)", (fsync) => {
  test("keeps every acknowledged commit, and no other, after a kill", async () => {
    for (let calls = 1; calls < 70; calls++) {
      const disk = simulatedDisk();
      const { states, acknowledged } = await until(disk, calls, calls, { fsync, together: 1 + (calls % 4) });
      const store = await open(disk.killed());
      expect(store.currentRevision(), `after ${calls} calls`).toBeGreaterThanOrEqual(acknowledged);
      expect(await readStateText(store), `after ${calls} calls`).toBe(states.get(store.currentRevision()));
    }
  });
});

test("keeps every acknowledged commit, and no other, after a power cut at any disk call with fsync", async () => {
  for (let round = 0; round < 130; round++) {
    const calls = 1 + (round % 110);
    const disk = simulatedDisk();
    const { states, acknowledged } = await until(disk, calls, round, { fsync: true, together: 1 + (round % 5) });
    const store = await open(disk.powerCut(seededRandom(round)), { fsync: true });
    expect(store.currentRevision(), `round ${round}`).toBeGreaterThanOrEqual(acknowledged);
    expect(await readStateText(store), `round ${round}`).toBe(states.get(store.currentRevision()));
  }
});
