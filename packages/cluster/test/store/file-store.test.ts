import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Compacted, fileStore, StoreError, type StoreEvent } from "../../src/store/index.ts";
import { object, plain, seeded, stateOf, step } from "./history.ts";

let folder: string;
beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), "pintle-store-")), "data");
});
afterEach(() => rmSync(path.dirname(folder), { recursive: true }));

test.each([false, true])("what was stored is there after a restart, with its revisions (fsync: %s)", async (fsync) => {
  const random = seeded(1);
  const store = await fileStore({ folder, fsync });
  for (let i = 0; i < 200; i++) await step(store, random);
  const value = { ...object("big", [9007199254740993n, "ü\u0000😀"]), list: [{ a: 1.5 }] };
  await store.txn("/registry/things/big", 0, { put: value });
  const [state, revision] = [await stateOf(store), store.currentRevision()];
  await store.close();

  const again = await fileStore({ folder, fsync });
  expect(await stateOf(again)).toEqual(state);
  expect(again.currentRevision()).toBe(revision);
  expect(Object.isFrozen((await again.get("/registry/things/big"))?.value["data"])).toBe(true);
  await again.close();
});

test("a watch goes on where it was before the restart, and a list of an earlier state is what it was", async () => {
  const random = seeded(2);
  const store = await fileStore({ folder });
  for (let i = 0; i < 50; i++) await step(store, random);
  const [then, after] = [await stateOf(store), store.currentRevision()];
  const missed: StoreEvent[] = [];
  await store.watch("/registry/", after, (event) => missed.push(event));
  for (let i = 0; i < 50; i++) await step(store, random);
  await store.close();

  const again = await fileStore({ folder });
  const seen: StoreEvent[] = [];
  await again.watch("/registry/", after, (event) => seen.push(event));
  expect(plain(seen)).toEqual(plain(missed));
  expect((await again.range("/registry/", { revision: after })).entries.map((e) => [e.key, e.revision, e.value])).toEqual(then);
  await again.close();
});

test("a long log becomes a snapshot; history from before it is gone", async () => {
  const random = seeded(3);
  const store = await fileStore({ folder, compactAt: 10_000 });
  for (let i = 0; i < 400; i++) await step(store, random);
  const state = await stateOf(store);
  await store.close();
  const files = readdirSync(folder).sort();
  expect(files).toEqual([expect.stringMatching(/^\d{8}\.log$/), expect.stringMatching(/^\d{8}\.snapshot$/)]);
  expect(files[0]?.slice(0, 8)).toBe(files[1]?.slice(0, 8));

  const again = await fileStore({ folder, compactAt: 10_000 });
  expect(await stateOf(again)).toEqual(state);
  await expect(again.watch("/registry/", 2, () => {})).rejects.toThrow(Compacted);
  await again.close();
});

test("nobody else may read it", async () => {
  const store = await fileStore({ folder });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).mode & 0o777, name).toBe(0o600);
  await store.close();
});

describe("the folder is for one", () => {
  test("in this process too", async () => {
    const store = await fileStore({ folder });
    await expect(fileStore({ folder })).rejects.toThrow(
      new StoreError(`${folder} is in use by this process: stop it first, or choose another folder`),
    );
    await store.txn("/registry/a", 0, { put: object("a", 1) });
    await store.close();
    await (await fileStore({ folder })).close();
    expect(readdirSync(folder)).toEqual(["00000001.log"]);
  });

  test.each([
    ["a process that lives", process.ppid, /is in use by process \d+: stop it first/],
    ["a process that ended", 4_000_000, undefined],
  ])("a lock of %s", async (_, pid, refusal) => {
    await (await fileStore({ folder })).close();
    const start = await startOf(pid);
    writeFileSync(path.join(folder, `lock-${pid}-${start}-1`), "");
    if (refusal === undefined) await (await fileStore({ folder })).close();
    else await expect(fileStore({ folder })).rejects.toThrow(refusal);
  });

  test("a lock of a process whose number another one has by now", async () => {
    await (await fileStore({ folder })).close();
    writeFileSync(path.join(folder, `lock-${process.ppid}-1.00000000-1`), "");
    await (await fileStore({ folder })).close();
  });
});

test("nothing is stored once it is closed", async () => {
  const store = await fileStore({ folder });
  await store.close();
  await expect(store.txn("/registry/a", 0, { put: object("a", 1) })).rejects.toThrow(/is closed/);
});

test.each([
  ["pintle log 2\n", "00000001.log", /00000001\.log has format 2, and this version of Pintle reads format 1/],
  ["something else", "00000001.log", /00000001\.log is damaged at byte 0/],
  ["pintle log 1\n", "00000002.log", /00000002\.snapshot is missing/],
  ["pintle snapshot 1\n", "00000003.snapshot", /00000003\.log is missing/],
])("%j in %s is refused", async (text, name, refusal) => {
  await (await fileStore({ folder })).close();
  rmSync(path.join(folder, "00000001.log"));
  writeFileSync(path.join(folder, name), text);
  await expect(fileStore({ folder })).rejects.toThrow(refusal);
  expect(readdirSync(folder)).toEqual([name]);
});

async function startOf(pid: number): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (status === undefined) return "1.00000000";
  const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).slice(0, 8);
  return `${status.slice(status.lastIndexOf(")") + 2).split(" ")[19]}.${boot}`;
}
