import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { collectBytes } from "../../src/image/index.ts";
import { CatalogIndex, CatalogStore, type Meta } from "../../src/index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pintle-store-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const meta = (schema: string, packageName: string, name: string): Meta => ({
  schema,
  package: packageName,
  name,
  value: { schema, package: packageName, name },
});
const METAS = [meta("a", "p", "1"), meta("a", "p", "2"), meta("b", "p", "1"), meta("a", "q", "1"), meta("", "q", "1")];

async function read(store: CatalogStore, name: string, query = {}): Promise<readonly string[]> {
  using opened = store.open(name);
  if (opened === undefined) return [];
  const text = Buffer.from(await collectBytes(opened.read(opened.index().find(query)))).toString();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Object.values(JSON.parse(line) as object).join(" "));
}

test("a query returns the blobs with all its fields, in their order", async () => {
  const store = new CatalogStore(folder);
  await store.replace("c", METAS);
  expect(await read(store, "c")).toHaveLength(5);
  expect(await read(store, "c", { schema: "a" })).toEqual(["1 p a", "2 p a", "1 q a"]);
  expect(await read(store, "c", { package: "p", name: "1" })).toEqual(["1 p a", "1 p b"]);
  expect(await read(store, "c", { package: "q" })).toEqual(["1 q a"]);
  expect(await read(store, "c", { schema: "a", package: "q", name: "2" })).toEqual([]);
  expect(await read(store, "other", {})).toEqual([]);
});

test("neighbouring blobs are read at once", () => {
  const index = new CatalogIndex();
  for (const each of METAS) index.add(each, 10);
  expect(index.find({ package: "p" })).toEqual([{ offset: 0, length: 30 }]);
  expect(index.find({ schema: "a" })).toEqual([
    { offset: 0, length: 20 },
    { offset: 30, length: 10 },
  ]);
});

test("another store reads what this one wrote", async () => {
  await new CatalogStore(folder).replace("c", METAS);
  const store = new CatalogStore(folder);
  expect(await store.has("c")).toBe(true);
  expect(await store.names()).toEqual(["c"]);
  expect(await read(store, "c", { schema: "b" })).toEqual(["1 p b"]);
});

test("content that is open stays readable when it is replaced and removed", async () => {
  const store = new CatalogStore(folder);
  await new CatalogStore(folder).replace("c", METAS);
  using opened = store.open("c");
  await store.replace("c", [meta("new", "", "")]);
  await store.remove("c");
  const sections = opened!.index().find({ schema: "b" });
  expect(Buffer.from(await collectBytes(opened!.read(sections))).toString()).toBe('{"name":"1","package":"p","schema":"b"}\n');
  expect(await store.has("c")).toBe(false);
});

test("blobs that cannot be read leave the old content, and nothing else", async () => {
  const store = new CatalogStore(folder);
  await store.replace("c", METAS);
  mkdirSync(join(folder, ".c-left-by-a-killed-process"));
  const failing = function* () {
    yield METAS[0]!;
    throw new Error("unreadable");
  };
  await expect(store.replace("c", failing())).rejects.toThrow("unreadable");
  expect(await read(store, "c")).toHaveLength(5);
  expect(readdirSync(folder)).toEqual(["c"]);
});
