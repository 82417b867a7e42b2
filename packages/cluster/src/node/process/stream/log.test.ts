import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { logFile } from "./log-file.ts";
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

async function written(...texts: readonly string[]): Promise<string> {
  const file = path.join(folder, "0.log");
  const log = await logFile(file, () => Date.parse("2026-01-01T00:00:00.5Z"));
  await log.take("stdout", chunks(...texts));
  await log.take("stderr", chunks("oops\n"));
  await log.close();
  return file;
}

test.each([
  ["everything", {}, "a\nb\nlast"],
  ["the tail", { tailLines: 1 }, "last"],
  ["no line at all", { tailLines: 0 }, ""],
  ["so many bytes", { limitBytes: 3 }, "a\nb"],
  ["with times", { timestamps: true, tailLines: 1 }, "2026-01-01T00:00:00.500000000Z last"],
  ["nothing so old", { since: Date.parse("2026-01-02T00:00:00Z") }, ""],
])("%s", async (_, options, expected) => {
  const file = await written("a\nb", "\nlast");
  expect(await text(readLog(file, undefined, { ...PLAIN, stream: "Stdout", ...options }, never))).toBe(expected);
});

test("the other output", async () => {
  expect(await text(readLog(await written("a\n"), undefined, { ...PLAIN, stream: "Stderr" }, never))).toBe("oops\n");
});

test("a log is followed to its end", async () => {
  const log = await logFile(path.join(folder, "0.log"), () => 0);
  await log.take("stdout", chunks("one\n"));
  const reading = text(readLog(log.path, log, { ...PLAIN, follow: true }, never));
  await log.take("stdout", chunks("two\n"));
  await log.close();
  expect(await reading).toBe("one\ntwo\n");
});

test("whoever hangs up does not wait for more", async () => {
  const log = await logFile(path.join(folder, "0.log"), () => 0);
  const hangUp = new AbortController();
  const reading = text(readLog(log.path, log, { ...PLAIN, follow: true }, hangUp.signal));
  hangUp.abort();
  expect(await reading).toBe("");
});

test("older parts come first", async () => {
  const file = await written("new\n");
  await appendFile(`${file}.1`, "2026-01-01T00:00:00.000000000Z stdout F old\n");
  await appendFile(`${file}.2`, "2026-01-01T00:00:00.000000000Z stdout F older\n");
  expect(await text(readLog(file, undefined, { ...PLAIN, stream: "Stdout" }, never))).toBe("older\nold\nnew\n");
});
