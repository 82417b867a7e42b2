import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLogFile } from "./log-file.ts";
import { readLog } from "./read-log.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "pintle-log-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const PLAIN = { follow: false, previous: false, timestamps: false };
async function* chunks(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}
async function text(from: AsyncIterable<Uint8Array>): Promise<string> {
  let all = "";
  for await (const bytes of from) all += Buffer.from(bytes).toString();
  return all;
}
const never = new AbortController().signal;

async function writeLog(...texts: readonly string[]): Promise<string> {
  const file = path.join(folder, "0.log");
  const log = await openLogFile(file, () => Date.parse("2026-01-01T00:00:00.5Z"));
  await log.append("stdout", chunks(...texts));
  await log.append("stderr", chunks("oops\n"));
  await log.close();
  return file;
}

test.each([
  ["the whole log", {}, "a\nb\nlast"],
  ["the last lines", { tailLines: 1 }, "last"],
  ["no lines", { tailLines: 0 }, ""],
  ["a limited number of bytes", { limitBytes: 3 }, "a\nb"],
  ["lines with timestamps", { timestamps: true, tailLines: 1 }, "2026-01-01T00:00:00.500000000Z last"],
  ["no lines before the given time", { since: Date.parse("2026-01-02T00:00:00Z") }, ""],
])("reads %s", async (_, options, expected) => {
  const file = await writeLog("a\nb", "\nlast");
  expect(await text(readLog(file, undefined, { ...PLAIN, stream: "Stdout", ...options }, never))).toBe(expected);
});

test("reads stderr only", async () => {
  expect(await text(readLog(await writeLog("a\n"), undefined, { ...PLAIN, stream: "Stderr" }, never))).toBe("oops\n");
});

test("follows a log until it is closed", async () => {
  const log = await openLogFile(path.join(folder, "0.log"), () => 0);
  await log.append("stdout", chunks("one\n"));
  const reading = text(readLog(log.path, log, { ...PLAIN, follow: true }, never));
  await log.append("stdout", chunks("two\n"));
  await log.close();
  expect(await reading).toBe("one\ntwo\n");
});

test("stops following when the client disconnects", async () => {
  const log = await openLogFile(path.join(folder, "0.log"), () => 0);
  const hangUp = new AbortController();
  const reading = text(readLog(log.path, log, { ...PLAIN, follow: true }, hangUp.signal));
  hangUp.abort();
  expect(await reading).toBe("");
});

test("reads rotated files first", async () => {
  const file = await writeLog("new\n");
  await appendFile(`${file}.1`, "2026-01-01T00:00:00.000000000Z stdout F old\n");
  await appendFile(`${file}.2`, "2026-01-01T00:00:00.000000000Z stdout F older\n");
  expect(await text(readLog(file, undefined, { ...PLAIN, stream: "Stdout" }, never))).toBe("older\nold\nnew\n");
});
