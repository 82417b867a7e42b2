import { describe, expect, test } from "vitest";
import { type ObjectStore, openFileStore, StoreError } from "../../src/store/index.ts";
import { createObject, readState, runRandomTxn, seededRandom } from "./random-operations.ts";
import { simulatedDisk } from "./simulated-disk.ts";

const folder = "/data";
const noSpace = () => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

describe.each([false, true])("a disk that is full intermittently (fsync: %s)", (fsync) => {
  test("fails the affected commits, keeps stored objects, and continues when there is space", async () => {
    const disk = simulatedDisk();
    const random = seededRandom(11);
    const store = await openFileStore({ folder, disk, fsync, compactAt: 2000 });
    let failed = 0;
    disk.before = (call, bytes) => {
      if (random() < 0.75) return undefined;
      if (bytes !== undefined) return { through: Math.floor(random() * bytes.length), error: noSpace() };
      // Truncating, syncing and creating files fail too.
      if (!call.startsWith("remove")) throw noSpace();
      return undefined;
    };
    for (let i = 0; i < 400; i++) {
      const before = [store.currentRevision(), await readState(store)];
      try {
        await runRandomTxn(store, random);
      } catch (error) {
        failed++;
        await expect(store.checkHealth?.()).rejects.toThrow("ENOSPC");
        expect(error).toBeInstanceOf(StoreError);
        expect((error as Error).message).toMatch(/^the change was not stored: cannot write \/data\/\d{8}\.log: ENOSPC/);
        expect([store.currentRevision(), await readState(store)]).toEqual(before);
      }
    }
    expect(failed).toBeGreaterThan(20);
    disk.before = () => undefined;
    await runRandomTxn(store, () => 0.5);
    await store.checkHealth?.();
    const [state, revision] = [await readState(store), store.currentRevision()];
    const again = await openFileStore({ folder, disk: disk.killed() });
    expect([await readState(again), again.currentRevision()]).toEqual([state, revision]);
  });
});

describe("fsync", () => {
  test("syncs before a commit is visible, and once for concurrent commits", async () => {
    const disk = simulatedDisk();
    const store = await openFileStore({ folder, disk, fsync: true });
    const order = disk.calls;
    await store.watch("/registry/", 1, ({ revision }) => order.push(`seen ${revision}`));
    const put = async (store: ObjectStore, name: string) => {
      const result = await store.txn(`/registry/${name}`, 0, { put: createObject(name, 1) });
      order.push(result.ok ? `acknowledged ${result.entry.revision}` : "refused");
    };
    order.length = 0;
    await Promise.all(["a", "b", "c", "a"].map((name) => put(store, name)));
    expect(order.map((each) => each.replace(/ \d+$/, (end) => (each.startsWith("write") ? "" : end)))).toEqual([
      "write 00000001.log",
      "sync 00000001.log",
      "write writer",
      "sync writer",
      "seen 2",
      "write 00000001.log",
      "sync 00000001.log",
      "acknowledged 2",
      "write writer",
      "sync writer",
      "seen 3",
      "seen 4",
      "acknowledged 3",
      "acknowledged 4",
      "refused",
    ]);
    expect(await store.get("/registry/a")).toMatchObject({ revision: 2 });
  });

  test("syncs a snapshot before renaming it, and its name before removing the log", async () => {
    const disk = simulatedDisk();
    const store = await openFileStore({ folder, disk, compactAt: 100 });
    await store.txn("/registry/a", 0, { put: createObject("a", "x".repeat(100)) });
    await store.close();
    const calls = disk.calls.map((each) => each.replace(/ \d+$/, ""));
    const snapshot = calls.slice(calls.indexOf("create 00000002.snapshot.unfinished"));
    expect(snapshot.filter((each) => !/^write|^sync .*log$/.test(each))).toEqual([
      "create 00000002.snapshot.unfinished",
      "sync 00000002.snapshot.unfinished",
      "rename 00000002.snapshot.unfinished 00000002.snapshot",
      "sync data/",
      "remove 00000001.log",
    ]);
  });

  test("writes a commit before acknowledging it without fsync", async () => {
    const disk = simulatedDisk();
    const store = await openFileStore({ folder, disk });
    await store.watch("/registry/", 1, () => disk.calls.push("seen"));
    disk.calls.length = 0;
    await store.txn("/registry/a", 0, { put: createObject("a", 1) });
    expect(disk.calls).toEqual([expect.stringMatching(/^write 00000001\.log/), expect.stringMatching(/^write writer/), "seen"]);
  });
});
