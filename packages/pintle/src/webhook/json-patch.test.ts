import { expect, test } from "vitest";
import type { Json, JsonObject } from "../kinds/index.ts";
import { equal } from "../merge/index.ts";
import { seeded } from "../queue/index.ts";
import { type Change, jsonPatch } from "./json-patch.ts";

test.each<[string, JsonObject, JsonObject, readonly Change[]]>([
  ["nothing changed", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ["a field more", { a: 1 }, { a: 1, b: { c: 2 } }, [{ op: "add", path: "/b", value: { c: 2 } }]],
  ["a field less", { a: 1, b: 2 }, { a: 1 }, [{ op: "remove", path: "/b" }]],
  ["undefined is a field less", { a: 1, b: 2 }, { a: 1, b: undefined }, [{ op: "remove", path: "/b" }]],
  [
    "another value, deep down",
    { a: { b: [{ c: 1, d: 2 }] } },
    { a: { b: [{ c: 1, d: 3 }] } },
    [{ op: "replace", path: "/a/b/0/d", value: 3 }],
  ],
  ["another type", { a: [1] }, { a: { b: 1 } }, [{ op: "replace", path: "/a", value: { b: 1 } }]],
  [
    "null is a value",
    { a: null },
    { a: 0, b: null },
    [
      { op: "replace", path: "/a", value: 0 },
      { op: "add", path: "/b", value: null },
    ],
  ],
  ["one item in the middle of a list", { a: [1, 2, 3] }, { a: [1, 9, 2, 3] }, [{ op: "add", path: "/a/1", value: 9 }]],
  [
    "one item less in the middle",
    { a: [1, 2, 3, 4] },
    { a: [1, 4] },
    [
      { op: "remove", path: "/a/2" },
      { op: "remove", path: "/a/1" },
    ],
  ],
  [
    "an item changed and one appended",
    { a: [{ n: 1 }] },
    { a: [{ n: 2 }, { n: 3 }] },
    [
      { op: "replace", path: "/a/0/n", value: 2 },
      { op: "add", path: "/a/1", value: { n: 3 } },
    ],
  ],
  ["keys that have to be escaped", { m: {} }, { m: { "a/b~c": 1 } }, [{ op: "add", path: "/m/a~1b~0c", value: 1 }]],
  [
    "a key called __proto__",
    JSON.parse('{"m":{}}'),
    JSON.parse('{"m":{"__proto__":{"x":1}}}'),
    [{ op: "add", path: "/m/__proto__", value: { x: 1 } }],
  ],
  ["integers beyond 2^53", { a: 9007199254740993n }, { a: 9007199254740994n }, [{ op: "replace", path: "/a", value: 9007199254740994n }]],
])("%s", (_, before, after, expected) => {
  expect(jsonPatch(before, after)).toEqual(expected);
});

test("whatever changes, the patch leads there, and is empty exactly when nothing does", () => {
  const random = seeded(9);
  const any = (depth: number): Json => {
    const pick = Math.floor(random() * (depth > 3 ? 4 : 7));
    if (pick < 4) return [null, random() < 0.5, Math.floor(random() * 3), "abc"[Math.floor(random() * 3)]!][pick]!;
    if (pick === 4) return Array.from({ length: Math.floor(random() * 5) }, () => any(depth + 1));
    return record(depth);
  };
  const record = (depth: number): JsonObject =>
    Object.fromEntries(["a", "b/c", "~d", ""].filter(() => random() < 0.6).map((key) => [key, any(depth + 1)]));
  for (let i = 0; i < 1000; i++) {
    const [before, after] = [record(0), record(0)];
    const patch = jsonPatch(before, after);
    expect(patched(before, patch), JSON.stringify([before, after, patch])).toEqual(after);
    expect(patch.length === 0).toBe(equal(before, after));
  }
});

/** RFC 6902, as far as it is used here. */
function patched(value: JsonObject, patch: readonly Change[]): Json {
  const root: any = structuredClone(value);
  for (const change of patch) {
    const parts = change.path
      .slice(1)
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = parts.pop()!;
    const parent = parts.reduce((at, part) => at[part], root);
    if (Array.isArray(parent)) {
      if (change.op === "remove") parent.splice(Number(last), 1);
      else parent.splice(Number(last), change.op === "add" ? 0 : 1, change.value);
    } else if (change.op === "remove") {
      expect(last in parent).toBe(true);
      delete parent[last];
    } else parent[last] = change.value;
  }
  return root;
}
