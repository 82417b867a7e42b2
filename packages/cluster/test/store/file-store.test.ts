import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CompactedError, openFileStore, StoreError, type StoreEvent } from "../../src/store/index.ts";
import { createObject, readState, runRandomTxn, seededRandom, toComparable } from "./random-operations.ts";

let folder: string;
beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), "pintle-store-")), "data");
});
afterEach(() => rmSync(path.dirname(folder), { recursive: true }));

test.each([false, true])("restores objects and revisions after a restart (fsync: %s)", async (fsync) => {
  const random = seededRandom(1);
  const store = await openFileStore({ folder, fsync });
  for (let i = 0; i < 200; i++) await runRandomTxn(store, random);
  const value = { ...createObject("big", [9007199254740993n, "ü\u0000😀"]), list: [{ a: 1.5 }] };
  await store.txn("/registry/things/big", 0, { put: value });
  const [state, revision] = [await readState(store), store.currentRevision()];
  await store.close();

  const again = await openFileStore({ folder, fsync });
  expect(await readState(again)).toEqual(state);
  expect(again.currentRevision()).toBe(revision);
  expect(Object.isFrozen((await again.get("/registry/things/big"))?.value["data"])).toBe(true);
  await again.close();
});

test("resumes a watch and reads an earlier revision after a restart", async () => {
  const random = seededRandom(2);
  const store = await openFileStore({ folder });
  for (let i = 0; i < 50; i++) await runRandomTxn(store, random);
  const [then, after] = [await readState(store), store.currentRevision()];
  const missed: StoreEvent[] = [];
  await store.watch("/registry/", after, (event) => missed.push(event));
  for (let i = 0; i < 50; i++) await runRandomTxn(store, random);
  await store.close();

  const again = await openFileStore({ folder });
  const seen: StoreEvent[] = [];
  await again.watch("/registry/", after, (event) => seen.push(event));
  expect(toComparable(seen)).toEqual(toComparable(missed));
  expect((await again.range("/registry/", { revision: after })).entries.map((e) => [e.key, e.revision, e.value])).toEqual(then);
  await again.close();
});

test("compacts a long log into a snapshot, without earlier history", async () => {
  const random = seededRandom(3);
  const store = await openFileStore({ folder, compactAt: 10_000 });
  for (let i = 0; i < 400; i++) await runRandomTxn(store, random);
  const state = await readState(store);
  await store.close();
  const files = readdirSync(folder).sort();
  expect(files).toEqual([expect.stringMatching(/^\d{8}\.log$/), expect.stringMatching(/^\d{8}\.snapshot$/), "writer"]);
  expect(files[0]?.slice(0, 8)).toBe(files[1]?.slice(0, 8));

  const again = await openFileStore({ folder, compactAt: 10_000 });
  expect(await readState(again)).toEqual(state);
  await expect(again.watch("/registry/", 2, () => {})).rejects.toThrow(CompactedError);
  await again.close();
});

test("creates files readable by the owner only", async () => {
  const store = await openFileStore({ folder });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).mode & 0o777, name).toBe(0o600);
  await store.close();
});

describe("the folder lock", () => {
  test("excludes a second store in the same process", async () => {
    const store = await openFileStore({ folder });
    await expect(openFileStore({ folder })).rejects.toThrow(
      new StoreError("PINTLE6510", `${folder} is in use by this process: stop it first, or choose another folder`),
    );
    await store.txn("/registry/a", 0, { put: createObject("a", 1) });
    await store.close();
    await (await openFileStore({ folder })).close();
    expect(readdirSync(folder)).toEqual(["00000001.log", "00000002.log", "writer"]);
  });

  test("ignores the lock files of earlier versions", async () => {
    mkdirSync(folder);
    writeFileSync(path.join(folder, "lock-4000000-1.00000000-1"), "");
    await (await openFileStore({ folder })).close();
    expect(readdirSync(folder)).toEqual(["00000001.log", "writer"]);
  });
});

test("refuses a folder that cannot be created, with its path and the reason", async () => {
  const file = path.join(path.dirname(folder), "file");
  writeFileSync(file, "");
  const data = path.join(file, "data");
  await expect(openFileStore({ folder: data })).rejects.toThrow(
    new StoreError(
      "PINTLE6516",
      `${data} cannot be used for the store: ENOTDIR: not a directory, mkdir '${data}'. It must be a folder that this user can write to`,
    ),
  );
});

test("refuses transactions after close", async () => {
  const store = await openFileStore({ folder });
  await store.close();
  await expect(store.txn("/registry/a", 0, { put: createObject("a", 1) })).rejects.toThrow(/is closed/);
});

test.each([
  ["pintle log 3\n", "00000001.log", /00000001\.log has format 3, and this version of Pintle reads format 2/],
  ["something else", "00000001.log", /00000001\.log is damaged at byte 0/],
  ["pintle log 1\n", "00000002.log", /00000002\.snapshot is missing/],
  ["pintle snapshot 1\n", "00000003.snapshot", /00000003\.log is missing/],
])("refuses %j in %s", async (text, name, refusal) => {
  await (await openFileStore({ folder })).close();
  rmSync(path.join(folder, "00000001.log"));
  writeFileSync(path.join(folder, name), text);
  await expect(openFileStore({ folder })).rejects.toThrow(refusal);
  expect(readdirSync(folder)).toEqual([name, "writer"]);
});
