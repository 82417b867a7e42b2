import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { localDisk } from "../../src/store/file/disk.ts";
import { type ObjectStore, openFileStore, StoreError } from "../../src/store/index.ts";
import { createObject, readState, runRandomTxn, seededRandom } from "./random-operations.ts";
import { simulatedDisk } from "./simulated-disk.ts";

const folder = "/data";

test.each([false, true])("two processes without a lock lose no acknowledged commit (fsync: %s)", async (fsync) => {
  let refused = 0;
  for (let round = 0; round < 20; round++) {
    const random = seededRandom(round);
    const disk = simulatedDisk();
    const writers: ObjectStore[] = [];
    const acknowledged = new Map<string, unknown>();
    const write = async (store: ObjectStore, name: string) => {
      try {
        const result = await store.txn(`/registry/${name}`, 0, { put: createObject(name, "x".repeat(Math.floor(random() * 600))) });
        if (result.ok) acknowledged.set(`/registry/${name}`, result.value);
      } catch (error) {
        expect(error).toMatchObject({ code: "PINTLE6517", message: expect.stringContaining("/data was taken over by another process") });
        refused++;
      }
    };
    for (let step = 0; step < 60; step++) {
      if (writers.length === 0 || random() < 0.05) writers.push(await openFileStore({ folder, disk, fsync, compactAt: 2000 }));
      const store = writers[Math.floor(random() * writers.length)] as ObjectStore;
      // Not awaited now and then: the next writer opens while this commit is under way.
      const writing = write(store, `n${step}`);
      if (random() < 0.7) await writing;
    }
    const last = await openFileStore({ folder, disk, fsync });
    for (const [key, value] of acknowledged) expect((await last.get(key))?.value, `round ${round} ${key}`).toEqual(value);
  }
  expect(refused).toBeGreaterThan(50);
});

test("a writer that was replaced neither rotates the log nor removes files", async () => {
  const disk = simulatedDisk();
  const first = await openFileStore({ folder, disk, compactAt: 100 });
  const second = await openFileStore({ folder, disk });
  const before = [...disk.listFiles(folder)].sort();
  const isReplaced = { code: "PINTLE6517" };
  await expect(first.txn("/registry/a", 0, { put: createObject("a", "x".repeat(1000)) })).rejects.toMatchObject(isReplaced);
  await expect(first.txn("/registry/a", 0, { put: createObject("a", "x".repeat(1000)) })).rejects.toMatchObject(isReplaced);
  await first.close();
  expect([...disk.listFiles(folder)].sort()).toEqual(before);
  expect((await second.txn("/registry/a", 0, { put: createObject("a", 1) })).ok).toBe(true);
});

test("on a real disk, a second writer takes over the folder of the first", async () => {
  const real = path.join(mkdtempSync(path.join(tmpdir(), "pintle-writers-")), "data");
  try {
    const disk = { ...localDisk, lock: async () => ({ release() {} }) };
    const random = seededRandom(1);
    const first = await openFileStore({ folder: real, disk });
    for (let i = 0; i < 20; i++) await runRandomTxn(first, random);
    const state = await readState(first);
    const second = await openFileStore({ folder: real, disk });
    expect(await readState(second)).toEqual(state);
    await expect(first.txn("/registry/late", 0, { put: createObject("late", 1) })).rejects.toThrow(StoreError);
    expect((await second.txn("/registry/next", 0, { put: createObject("next", 1) })).ok).toBe(true);
    await first.close();
    await second.close();
    const third = await openFileStore({ folder: real });
    expect((await readState(third)).map(([key]) => key)).toEqual([...state.map(([key]) => key), "/registry/next"].sort());
    await third.close();
  } finally {
    rmSync(path.dirname(real), { recursive: true });
  }
});
