import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type VolumeFile, writeAtomically } from "./atomic-writer.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "pintle-volume-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const files = (texts: Readonly<Record<string, string>>) =>
  new Map<string, VolumeFile>(Object.entries(texts).map(([name, text]) => [name, { data: Buffer.from(text), mode: 0o644 }]));
const read = (name: string) => readFile(path.join(folder, name), "utf8");

test("replaces all files at once and writes nothing if they are unchanged", async () => {
  expect(await writeAtomically(folder, files({ a: "1", "deep/b": "2" }))).toBe(true);
  expect([await read("a"), await read("deep/b")]).toEqual(["1", "2"]);
  expect(await writeAtomically(folder, files({ a: "1", "deep/b": "2" }))).toBe(false);
  expect(await writeAtomically(folder, files({ a: "3", c: "4" }))).toBe(true);
  expect([await read("a"), await read("c")]).toEqual(["3", "4"]);
  expect((await readdir(folder)).filter((name) => !name.startsWith("..")).sort()).toEqual(["a", "c"]);
  expect((await readdir(folder)).filter((name) => name.startsWith("..version"))).toHaveLength(1);
});
