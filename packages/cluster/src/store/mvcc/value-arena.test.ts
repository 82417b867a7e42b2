import type { JsonObject } from "pintle/kinds";
import { expect, test } from "vitest";
import type { StoreEntry } from "../store.ts";
import { deepFreeze } from "./freeze.ts";
import { createMvccStore } from "./mvcc-store.ts";
import { ValueArena } from "./value-arena.ts";

const object = (data: unknown) => deepFreeze({ kind: "Thing", metadata: { resourceVersion: "1" }, data }) as JsonObject;
const put = (arena: ValueArena, data: unknown, key = "/r/a") => arena.add(key, 1, object(data), undefined);
const lineOf = (entry: StoreEntry) => Buffer.from(entry.jsonLine()).toString();

test.each([
  ["plain text", "hello"],
  ["characters of two, three and four bytes", "äé – 😀"],
  ["Latin-1 that is no ASCII", "\u00ff"],
  ["half a surrogate pair", "\ud800"],
  ["integers beyond 2^53", 9007199254740993n],
  ["names such as __proto__ and integer keys", JSON.parse('{"__proto__":{"a":1},"2":"b","1":"a"}')],
  ["more than a slab holds", "x".repeat(300_000)],
  ["an empty object", {}],
])("returns the stored value: %s", (_, data) => {
  const entry = put(new ValueArena(), data);
  expect(entry.value).toEqual(object(data));
  expect(entry.json()).toBe(lineOf(entry).slice(0, -1));
  expect(lineOf(entry).at(-1)).toBe("\n");
  expect(entry.byteLength).toBe(Buffer.byteLength(entry.json()));
});

test("returns the same deeply frozen object for repeated reads", () => {
  const entry = put(new ValueArena(), { deep: [{ er: 1 }] });
  expect(entry.value).toBe(entry.value);
  expect(Object.isFrozen((entry.value as { data: { deep: object[] } }).data.deep[0])).toBe(true);
});

test("caches the first values without decoding them", () => {
  const arena = new ValueArena();
  const given = object("first");
  expect(arena.add("/r/first", 1, given, undefined).value).toBe(given);
  for (let i = 0; i < 20; i++) put(arena, "x".repeat(64 * 1024), `/r/${i}`);
  const later = object("later");
  expect(arena.add("/r/later", 1, later, undefined).value).not.toBe(later);
});

test("drops cached values that are no longer read and keeps those that are", () => {
  const arena = new ValueArena();
  const entries = Array.from({ length: 100 }, (_, i) => put(arena, "x".repeat(1024 * 1024), `/r/${i}`));
  const [needed, left] = [entries[0]!, entries[1]!];
  const [first, second] = [needed.value, left.value];
  for (const entry of entries.slice(2)) {
    expect(entry.value["kind"]).toBe("Thing");
    expect(needed.value).toBe(first);
  }
  expect(left.value).not.toBe(second);
  expect(left.value).toEqual(second);
});

test("compacts slabs so that few live values do not retain the memory of released ones", () => {
  const mvcc = createMvccStore({ history: 10 });
  const stay: StoreEntry[] = [];
  let revision = mvcc.revision();
  for (let i = 0; i < 20_000; i++) {
    mvcc.put("/r/busy", { metadata: {}, data: "x".repeat(1000) } as JsonObject, ++revision);
    if (i % 500 === 0) stay.push(mvcc.put(`/r/stay-${i}`, { metadata: {}, data: i } as JsonObject, ++revision).entry);
  }
  expect(new Set(stay.map((entry) => entry.jsonLine().buffer)).size).toBeLessThan(stay.length);
  expect(new Set(mvcc.allEntries().map((entry) => entry.jsonLine().buffer)).size).toBeLessThan(25);
  expect(stay.map((entry) => entry.value["data"])).toEqual(stay.map((_, index) => index * 500));
});

test("keeps a released entry readable for callers that still hold it", () => {
  const mvcc = createMvccStore({ history: 1 });
  const first = mvcc.put("/r/a", { metadata: {}, data: "first" } as JsonObject, 2).entry;
  const line = first.jsonLine();
  for (let revision = 3; revision < 20_000; revision++) mvcc.put("/r/a", { metadata: {}, data: "x".repeat(1000) } as JsonObject, revision);
  expect(first.value).toEqual({ metadata: { resourceVersion: "2" }, data: "first" });
  expect(Buffer.from(line).toString()).toBe('{"metadata":{"resourceVersion":"2"},"data":"first"}\n');
});
