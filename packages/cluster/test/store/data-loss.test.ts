import { describe, expect, test } from "vitest";
import { encodeFrame } from "../../src/store/file/frames.ts";
import { encodeDeleteRecord, encodePutRecord } from "../../src/store/file/log-records.ts";
import { CompactedError, type ObjectStore, openFileStore, StoreError } from "../../src/store/index.ts";
import { createObject, readState, runRandomTxn, seededRandom } from "./random-operations.ts";
import { type SimulatedDisk, simulatedDisk } from "./simulated-disk.ts";

const folder = "/data";
const log = `${folder}/00000001.log`;
const put = (store: ObjectStore, name: string) => store.txn(`/registry/${name}`, 0, { put: createObject(name, "x".repeat(50)) });
const names = async (store: ObjectStore) => (await readState(store)).map(([key]) => key.replace("/registry/", ""));

async function open(disk: SimulatedDisk, options: { acceptDataLoss?: boolean; fsync?: boolean } = {}) {
  const reports: string[] = [];
  const store = await openFileStore({ folder, disk, ...options, onDataLoss: (report) => reports.push(report) });
  return { store, reports };
}

/** A folder with commits a to e at revisions 2 to 6; returns where each one begins in the log. */
async function writeFive(disk: SimulatedDisk) {
  const { store } = await open(disk);
  const begins: number[] = [];
  for (const name of ["a", "b", "c", "d", "e"]) {
    begins.push(disk.read(log).length);
    await put(store, name);
  }
  await store.close();
  return begins;
}

describe("a log that was cut", () => {
  test("is refused without acceptDataLoss, whatever its length, and is not modified", async () => {
    const disk = simulatedDisk();
    const begins = await writeFive(disk);
    const whole = disk.read(log);
    for (let length = 0; length < whole.length; length += 3) {
      const files = new Map([...disk.listFiles(folder)].map((name) => [`${folder}/${name}`, disk.read(`${folder}/${name}`)]));
      const cut = simulatedDisk(files.set(log, whole.subarray(0, length)));
      const left = begins.filter((begin) => begin <= length).length;
      const recovered = Math.max(1, left);
      for (let attempt = 0; attempt < 2; attempt++) {
        const refusal = await open(cut).catch((error: unknown) => error);
        expect(refusal, `cut at ${length}`).toBeInstanceOf(StoreError);
        expect(refusal).toMatchObject({
          code: "PINTLE6518",
          message: expect.stringContaining(
            `${6 - recovered} acknowledged revision${recovered === 5 ? " (6)" : `s (${recovered + 1} to 6)`} are gone`,
          ),
        });
        expect((refusal as Error).message).toContain("pintle cluster up --data /data --accept-data-loss");
      }
      expect(cut.read(log).equals(whole.subarray(0, length))).toBe(true);
    }
  });

  test("is continued with acceptDataLoss, one line, and revisions that no client has seen", async () => {
    const disk = simulatedDisk();
    const [, , , begin = 0] = await writeFive(disk);
    const size = disk.read(log).length;
    disk.change(log, (bytes) => bytes.subarray(0, begin + 10));
    const { store, reports } = await open(disk, { acceptDataLoss: true });
    expect(reports).toEqual([
      `/data: 10 bytes at the end of ${log} and 2 acknowledged revisions (5 to 6) are gone; continuing after revision 4`,
    ]);
    expect(size).toBeGreaterThan(begin + 10);
    expect([await names(store), store.currentRevision()]).toEqual([["a", "b", "c"], 6]);
    await expect(store.watch("/registry/", 5, () => {})).rejects.toThrow(CompactedError);
    expect(await put(store, "f")).toMatchObject({ ok: true, entry: { revision: 7 } });
    await store.close();

    const again = await open(disk);
    expect(again.reports).toEqual([]);
    expect([await names(again.store), again.store.currentRevision()]).toEqual([["a", "b", "c", "f"], 7]);
    await expect(again.store.watch("/registry/", 5, () => {})).rejects.toThrow(CompactedError);
  });

  test("is noticed when whole logs are gone", async () => {
    const disk = simulatedDisk();
    await writeFive(disk);
    disk.remove(log);
    await expect(open(disk)).rejects.toMatchObject({ code: "PINTLE6518" });
    const { store, reports } = await open(disk, { acceptDataLoss: true });
    expect(reports).toEqual(["/data: 5 acknowledged revisions (2 to 6) are gone; continuing after revision 1"]);
    await put(store, "f");
    expect(await names((await open(disk.killed())).store)).toEqual(["f"]);
  });
});

test.each([false, true])("a write that a kill cut short is dropped with one line (fsync: %s)", async (fsync) => {
  const disk = simulatedDisk();
  const { store } = await open(disk, { fsync });
  await put(store, "a");
  disk.before = (call) => {
    if (call.startsWith("truncate")) throw new Error("killed");
    return call.startsWith("write 00000001.log") ? { through: 33, error: new Error("killed") } : undefined;
  };
  await expect(put(store, "b")).rejects.toThrow(/killed/);
  const killed = disk.killed();
  const { store: again, reports } = await open(killed, { fsync });
  expect(reports).toEqual([`/data: 33 bytes at the end of ${log} and 0 acknowledged revisions are gone; continuing after revision 2`]);
  expect(await names(again)).toEqual(["a"]);
  expect((await open(killed.killed())).reports).toEqual([]);
});

test("damage in the middle of the logs is refused, and continued before it with acceptDataLoss", async () => {
  const disk = simulatedDisk();
  const [, , begin = 0] = await writeFive(disk);
  const { store } = await open(disk);
  await put(store, "f");
  await store.close();
  disk.change(log, (bytes) => Buffer.from(bytes).fill(7, begin + 20, begin + 30));
  await expect(open(disk)).rejects.toMatchObject({
    code: "PINTLE6512",
    message: expect.stringContaining(`${log} is damaged at byte ${begin}`),
  });
  const accepted = await open(disk, { acceptDataLoss: true });
  expect(accepted.reports).toEqual([
    expect.stringMatching(/^\/data: \d+ bytes at the end of .*00000001\.log and 4 acknowledged revisions \(4 to 7\)/),
  ]);
  expect(await names(accepted.store)).toEqual(["a", "b"]);
  await put(accepted.store, "g");
  expect(await names((await open(disk.killed())).store)).toEqual(["a", "b", "g"]);
});

test("a damaged record of the acknowledged revision is refused without acceptDataLoss", async () => {
  const disk = simulatedDisk();
  await writeFive(disk);
  disk.change(`${folder}/writer`, (bytes) => Buffer.alloc(bytes.length, 1));
  await expect(open(disk)).rejects.toMatchObject({ code: "PINTLE6512", message: expect.stringContaining("/data/writer is damaged") });
  const { store } = await open(disk, { acceptDataLoss: true });
  expect(await names(store)).toEqual(["a", "b", "c", "d", "e"]);
});

test("many starts do not leave many logs", async () => {
  const disk = simulatedDisk();
  for (let start = 0; start < 60; start++) {
    const { store } = await open(disk);
    await put(store, `n${start}`);
    await store.close();
    expect(disk.listFiles(folder).length).toBeLessThan(20);
  }
  const { store } = await open(disk);
  expect(await names(store)).toHaveLength(60);
});

describe("a folder of format 1", () => {
  /** Writes a file as earlier versions did: a header and frames, without a start record. */
  const formatOne = (type: "log" | "snapshot", payloads: readonly string[]) => {
    let bytes = Buffer.from(`pintle ${type} 1\n`);
    for (const payload of payloads) bytes = Buffer.concat([bytes, encodeFrame(Buffer.from(payload), bytes.length)]);
    return bytes;
  };
  const a = encodePutRecord("/registry/a", createObject("a", 1), 2);
  const b = encodePutRecord("/registry/b", createObject("b", 1), 3);
  const c = encodePutRecord("/registry/c", createObject("c", 1), 4);

  test.each<[string, Record<string, Buffer>, string[], number]>([
    ["one log", { "00000001.log": formatOne("log", [a, [b, encodeDeleteRecord("/registry/a", 4)].join("\n")]) }, ["b"], 4],
    ["two logs", { "00000001.log": formatOne("log", [a]), "00000002.log": formatOne("log", [b]) }, ["a", "b"], 3],
    [
      "a snapshot and a log",
      {
        "00000002.snapshot": formatOne("snapshot", [
          '{"revision":3,"entries":1}',
          `[2,"/registry/a",${JSON.stringify(createObject("a", 1))}]`,
        ]),
        "00000002.log": formatOne("log", [c]),
      },
      ["a", "c"],
      4,
    ],
    [
      "a torn log and an empty one",
      { "00000001.log": formatOne("log", [a, b]).subarray(0, -5), "00000002.log": formatOne("log", []) },
      ["a"],
      2,
    ],
    ["a log without a complete header", { "00000001.log": Buffer.from("pintle lo") }, [], 1],
  ])("opens with %s, and continues", async (_, files, expected, revision) => {
    const disk = simulatedDisk(new Map(Object.entries(files).map(([name, bytes]) => [`${folder}/${name}`, bytes])));
    const { store } = await open(disk);
    expect([await names(store), store.currentRevision()]).toEqual([expected, revision]);
    await put(store, "z");
    const again = await open(disk.killed());
    expect([await names(again.store), again.store.currentRevision(), again.reports]).toEqual([[...expected, "z"], revision + 1, []]);
  });

  test("is refused when commits follow a torn log", async () => {
    const files = { "00000001.log": formatOne("log", [a, b]).subarray(0, -5), "00000002.log": formatOne("log", [c]) };
    const disk = simulatedDisk(new Map(Object.entries(files).map(([name, bytes]) => [`${folder}/${name}`, bytes])));
    await expect(open(disk)).rejects.toMatchObject({ code: "PINTLE6512" });
  });
});

test("random starts, cuts and accepted losses keep a prefix of the history", async () => {
  for (let round = 0; round < 30; round++) {
    const random = seededRandom(round);
    let disk = simulatedDisk();
    let acknowledged = 1;
    for (let start = 0; start < 8; start++) {
      const { store } = await open(disk, { acceptDataLoss: true });
      expect(store.currentRevision(), `round ${round}, start ${start}`).toBeGreaterThanOrEqual(acknowledged);
      for (let i = 0; i < random() * 10; i++) await runRandomTxn(store, random, 100);
      acknowledged = store.currentRevision();
      disk = disk.killed();
      const logs = disk.listFiles(folder).filter((name) => name.endsWith(".log"));
      const victim = `${folder}/${logs[Math.floor(random() * logs.length)]}`;
      if (random() < 0.4) disk.change(victim, (bytes) => bytes.subarray(0, Math.floor(random() * bytes.length)));
    }
  }
});
