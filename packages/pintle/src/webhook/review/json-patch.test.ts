import { expect, test } from "vitest";
import { seededRandom } from "../../clock/index.ts";
import type { Json, JsonObject } from "../../kinds/index.ts";
import { isJsonEqual } from "../../merge/index.ts";
import { type AdmissionPatchOperation, createJsonPatch } from "./json-patch.ts";

test.each<[string, JsonObject, JsonObject, readonly AdmissionPatchOperation[]]>([
  ["equal objects", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ["an added field", { a: 1 }, { a: 1, b: { c: 2 } }, [{ op: "add", path: "/b", value: { c: 2 } }]],
  ["a removed field", { a: 1, b: 2 }, { a: 1 }, [{ op: "remove", path: "/b" }]],
  ["a field that becomes undefined", { a: 1, b: 2 }, { a: 1, b: undefined }, [{ op: "remove", path: "/b" }]],
  [
    "a replaced nested value",
    { a: { b: [{ c: 1, d: 2 }] } },
    { a: { b: [{ c: 1, d: 3 }] } },
    [{ op: "replace", path: "/a/b/0/d", value: 3 }],
  ],
  ["a value of another type", { a: [1] }, { a: { b: 1 } }, [{ op: "replace", path: "/a", value: { b: 1 } }]],
  [
    "null values",
    { a: null },
    { a: 0, b: null },
    [
      { op: "replace", path: "/a", value: 0 },
      { op: "add", path: "/b", value: null },
    ],
  ],
  ["an item inserted into a list", { a: [1, 2, 3] }, { a: [1, 9, 2, 3] }, [{ op: "add", path: "/a/1", value: 9 }]],
  [
    "items removed from the middle of a list",
    { a: [1, 2, 3, 4] },
    { a: [1, 4] },
    [
      { op: "remove", path: "/a/2" },
      { op: "remove", path: "/a/1" },
    ],
  ],
  [
    "an item changed and an item appended",
    { a: [{ n: 1 }] },
    { a: [{ n: 2 }, { n: 3 }] },
    [
      { op: "replace", path: "/a/0/n", value: 2 },
      { op: "add", path: "/a/1", value: { n: 3 } },
    ],
  ],
  ["keys that need escaping", { m: {} }, { m: { "a/b~c": 1 } }, [{ op: "add", path: "/m/a~1b~0c", value: 1 }]],
  [
    "the key __proto__",
    JSON.parse('{"m":{}}'),
    JSON.parse('{"m":{"__proto__":{"x":1}}}'),
    [{ op: "add", path: "/m/__proto__", value: { x: 1 } }],
  ],
  ["integers beyond 2^53", { a: 9007199254740993n }, { a: 9007199254740994n }, [{ op: "replace", path: "/a", value: 9007199254740994n }]],
])("createJsonPatch: %s", (_, before, after, expected) => {
  expect(createJsonPatch(before, after)).toEqual(expected);
});

test("createJsonPatch of random objects gives the new object when applied, and is empty exactly for equal objects", () => {
  const random = seededRandom(9);
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
    const patch = createJsonPatch(before, after);
    expect(applyPatch(before, patch), JSON.stringify([before, after, patch])).toEqual(after);
    expect(patch.length === 0).toBe(isJsonEqual(before, after));
  }
});

/** Applies the operations of RFC 6902 that createJsonPatch uses. */
function applyPatch(value: JsonObject, patch: readonly AdmissionPatchOperation[]): Json {
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
