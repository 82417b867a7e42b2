import { describe, expect, test } from "vitest";
import { fileStore, type Store, StoreError } from "../../src/store/index.ts";
import { object, seeded, stateOf, step } from "./history.ts";
import { simulatedDisk } from "./simulated-disk.ts";

const folder = "/data";
const noSpace = () => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

describe.each([false, true])("a disk that is full now and then (fsync: %s)", (fsync) => {
  test("fails those commits, keeps what was stored, and goes on when there is room", async () => {
    const disk = simulatedDisk();
    const random = seeded(11);
    const store = await fileStore({ folder, disk, fsync, compactAt: 2000 });
    let failed = 0;
    disk.before = (call, bytes) => {
      if (random() < 0.75) return undefined;
      if (bytes !== undefined) return { through: Math.floor(random() * bytes.length), error: noSpace() };
      // A process that may not even shorten a file, sync it or make another.
      if (!call.startsWith("remove")) throw noSpace();
      return undefined;
    };
    for (let i = 0; i < 400; i++) {
      const before = [store.currentRevision(), await stateOf(store)];
      try {
        await step(store, random);
      } catch (error) {
        failed++;
        expect(error).toBeInstanceOf(StoreError);
        expect((error as Error).message).toMatch(/^nothing was stored, as \/data\/\d{8}\.log could not be written: ENOSPC/);
        expect([store.currentRevision(), await stateOf(store)]).toEqual(before);
      }
    }
    expect(failed).toBeGreaterThan(20);
    disk.before = () => undefined;
    await step(store, () => 0.5);
    const [state, revision] = [await stateOf(store), store.currentRevision()];
    const again = await fileStore({ folder, disk: disk.killed() });
    expect([await stateOf(again), again.currentRevision()]).toEqual([state, revision]);
  });
});

describe("fsync", () => {
  test("comes before anybody hears of a commit, and those that come together share one", async () => {
    const disk = simulatedDisk();
    const store = await fileStore({ folder, disk, fsync: true });
    const order = disk.calls;
    await store.watch("/registry/", 1, ({ revision }) => order.push(`seen ${revision}`));
    const put = async (store: Store, name: string) => {
      const result = await store.txn(`/registry/${name}`, 0, { put: object(name, 1) });
      order.push(result.ok ? `acknowledged ${result.entry.revision}` : "refused");
    };
    order.length = 0;
    await Promise.all(["a", "b", "c", "a"].map((name) => put(store, name)));
    expect(order.map((each) => each.replace(/\.log \d+/, ".log"))).toEqual([
      "write 00000001.log",
      "sync 00000001.log",
      "seen 2",
      "write 00000001.log",
      "sync 00000001.log",
      "acknowledged 2",
      "seen 3",
      "seen 4",
      "acknowledged 3",
      "acknowledged 4",
      "refused",
    ]);
    expect(await store.get("/registry/a")).toMatchObject({ revision: 2 });
  });

  test("a snapshot is safe before it has its name, and its name before the log goes", async () => {
    const disk = simulatedDisk();
    const store = await fileStore({ folder, disk, compactAt: 100 });
    await store.txn("/registry/a", 0, { put: object("a", "x".repeat(100)) });
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

  test("without it the operating system has a commit before it is acknowledged", async () => {
    const disk = simulatedDisk();
    const store = await fileStore({ folder, disk });
    await store.watch("/registry/", 1, () => disk.calls.push("seen"));
    disk.calls.length = 0;
    await store.txn("/registry/a", 0, { put: object("a", 1) });
    expect(disk.calls).toEqual([expect.stringMatching(/^write 00000001\.log/), "seen"]);
  });
});
