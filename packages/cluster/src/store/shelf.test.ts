import type { JsonObject } from "pintle/kinds";
import { expect, test } from "vitest";
import { freeze } from "./freeze.ts";
import { ledger } from "./ledger.ts";
import { Shelf } from "./shelf.ts";
import type { Entry } from "./store.ts";

const object = (data: unknown) => freeze({ kind: "Thing", metadata: { resourceVersion: "1" }, data }) as JsonObject;
const put = (shelf: Shelf, data: unknown, key = "/r/a") => shelf.put(key, 1, object(data), undefined);
const lineOf = (entry: Entry) => Buffer.from(entry.line()).toString();

test.each([
  ["plain text", "hello"],
  ["characters of two, three and four bytes", "äé – 😀"],
  ["Latin-1 that is no ASCII", "\u00ff"],
  ["half a surrogate pair", "\ud800"],
  ["integers beyond 2^53", 9007199254740993n],
  ["names that mean something to the engine", JSON.parse('{"__proto__":{"a":1},"2":"b","1":"a"}')],
  ["more than a slab holds", "x".repeat(300_000)],
  ["nothing", {}],
])("gives back what it was given: %s", (_, data) => {
  const entry = put(new Shelf(), data);
  expect(entry.value).toEqual(object(data));
  expect(entry.text()).toBe(lineOf(entry).slice(0, -1));
  expect(lineOf(entry).at(-1)).toBe("\n");
  expect(entry.length).toBe(Buffer.byteLength(entry.text()));
});

test("a value is the same for all who ask within a while, and frozen through and through", () => {
  const entry = put(new Shelf(), { deep: [{ er: 1 }] });
  expect(entry.value).toBe(entry.value);
  expect(Object.isFrozen((entry.value as { data: { deep: object[] } }).data.deep[0])).toBe(true);
});

test("what comes first stays at hand as it was given", () => {
  const shelf = new Shelf();
  const given = object("first");
  expect(shelf.put("/r/first", 1, given, undefined).value).toBe(given);
  for (let i = 0; i < 20; i++) put(shelf, "x".repeat(64 * 1024), `/r/${i}`);
  const later = object("later");
  expect(shelf.put("/r/later", 1, later, undefined).value).not.toBe(later);
});

test("values that nobody looks at any more are forgotten, those that are needed stay", () => {
  const shelf = new Shelf();
  const entries = Array.from({ length: 100 }, (_, i) => put(shelf, "x".repeat(1024 * 1024), `/r/${i}`));
  const [needed, left] = [entries[0]!, entries[1]!];
  const [first, second] = [needed.value, left.value];
  for (const entry of entries.slice(2)) {
    expect(entry.value["kind"]).toBe("Thing");
    expect(needed.value).toBe(first);
  }
  expect(left.value).not.toBe(second);
  expect(left.value).toEqual(second);
});

test("what stays among much that goes does not keep the memory of all of it", () => {
  const kept = ledger({ history: 10 });
  const stay: Entry[] = [];
  let revision = kept.revision();
  for (let i = 0; i < 20_000; i++) {
    kept.put("/r/busy", { metadata: {}, data: "x".repeat(1000) } as JsonObject, ++revision);
    if (i % 500 === 0) stay.push(kept.put(`/r/stay-${i}`, { metadata: {}, data: i } as JsonObject, ++revision).entry);
  }
  expect(new Set(stay.map((entry) => entry.line().buffer)).size).toBeLessThan(stay.length);
  expect(new Set(kept.all().map((entry) => entry.line().buffer)).size).toBeLessThan(25);
  expect(stay.map((entry) => entry.value["data"])).toEqual(stay.map((_, index) => index * 500));
});

test("whoever still has an entry can read it when its ledger has let go of it", () => {
  const kept = ledger({ history: 1 });
  const first = kept.put("/r/a", { metadata: {}, data: "first" } as JsonObject, 2).entry;
  const line = first.line();
  for (let revision = 3; revision < 20_000; revision++) kept.put("/r/a", { metadata: {}, data: "x".repeat(1000) } as JsonObject, revision);
  expect(first.value).toEqual({ metadata: { resourceVersion: "2" }, data: "first" });
  expect(Buffer.from(line).toString()).toBe('{"metadata":{"resourceVersion":"2"},"data":"first"}\n');
});
