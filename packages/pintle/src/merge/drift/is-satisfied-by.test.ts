import { expect, test } from "vitest";
import type { Json, Shape } from "../../kinds/index.ts";
import { digest } from "../canonical-json.ts";
import { isSatisfiedBy } from "./is-satisfied-by.ts";
import { selectDesiredFields } from "./select-desired-fields.ts";

const SHAPE: Shape = {
  fields: {
    cpu: { scalar: "quantity" },
    at: { scalar: "time" },
    beat: { scalar: "microTime" },
    ports: {
      items: { fields: { port: {}, protocol: {}, name: {} } },
      list: "map",
      keys: ["port", "protocol"],
      keyDefaults: { protocol: "TCP" },
    },
    set: { items: {}, list: "set" },
    args: { items: {}, list: "atomic" },
  },
};

test.each<[string, Json, Json, readonly string[]]>([
  ["ignores additional fields in live", { a: 1 }, { a: 1, b: 2 }, []],
  ["ignores undefined fields", { a: undefined } as never, {}, []],
  ["reports a missing field", { a: { b: 1 } }, { a: {} }, [".a.b"]],
  ["reports a different value", { a: { b: 1, c: 2 } }, { a: { b: 2, c: 2 } }, [".a.b"]],
  ["compares quantities by value", { cpu: "0.5" }, { cpu: "500m" }, []],
  ["reports different quantities", { cpu: "0.5" }, { cpu: "501m" }, [".cpu"]],
  ["reports an invalid quantity", { cpu: "much" }, { cpu: "many" }, [".cpu"]],
  ["compares times to the second", { at: "2024-01-01T01:00:00.7+01:00" }, { at: "2024-01-01T00:00:00Z" }, []],
  ["reports a live time that is not in the API server's form", { at: "2024-01-01T00:00:00Z" }, { at: "2024-01-01T00:00:00.5Z" }, [".at"]],
  ["compares micro times to the microsecond", { beat: "2024-01-01T00:00:00.1234567Z" }, { beat: "2024-01-01T00:00:00.123456Z" }, []],
  ["reports different micro times", { beat: "2024-01-01T00:00:00.123457Z" }, { beat: "2024-01-01T00:00:00.123456Z" }, [".beat"]],
  [
    "matches items by key with defaults applied",
    { ports: [{ port: 80, name: "a" }] },
    { ports: [{ port: 9 }, { port: 80, protocol: "TCP", name: "a" }] },
    [],
  ],
  [
    "reports a missing item",
    { ports: [{ port: 80 }, { port: 443, protocol: "UDP" }] },
    { ports: [{ port: 80 }, { port: 443 }] },
    [".ports[1]"],
  ],
  ["reports a different field of an item", { ports: [{ port: 80, name: "a" }] }, { ports: [{ port: 80, name: "b" }] }, [".ports[0].name"]],
  ["matches set items by value", { set: ["b"] }, { set: ["a", "b"] }, []],
  ["reports a missing set item", { set: ["c"] }, { set: ["a", "b"] }, [".set"]],
  ["matches items of other lists by index", { args: ["a", { x: 1 }] }, { args: ["a", { x: 1, y: 2 }] }, []],
  ["reports a list of another length", { args: ["a"] }, { args: ["a", "b"] }, [".args"]],
  ["reports empty values that live lacks", { a: false, b: {}, c: [] }, {}, [".a", ".b", ".c"]],
  ["compares bigints with numbers", { a: 5n }, { a: 5 }, []],
])("%s", (_, desired, live, expected) => {
  const misses: string[] = [];
  expect(isSatisfiedBy(desired, live, SHAPE, misses)).toBe(expected.length === 0);
  expect(misses).toEqual(expected);
  expect(isSatisfiedBy(desired, live, SHAPE)).toBe(expected.length === 0);
});

test("the digest of selectDesiredFields changes exactly when a desired field of live changes", () => {
  const desired = { a: 1, ports: [{ port: 80, name: "a" }], set: ["x"], args: ["1"] };
  const live = { a: 1, ports: [{ port: 80, protocol: "TCP", name: "a" }], set: ["y", "x"], args: ["1"] };
  const before = digest(selectDesiredFields(desired, live, SHAPE));
  const of = (change: object) => digest(selectDesiredFields(desired, { ...live, ...change }, SHAPE));
  for (const foreign of [{ b: 1 }, { ports: [{ port: 9 }, ...live.ports] }, { set: ["x", "z"] }]) expect(of(foreign)).toBe(before);
  for (const ours of [
    { a: 2 },
    { a: undefined },
    { ports: [] },
    { ports: [{ port: 80, name: "b" }] },
    { set: ["y"] },
    { args: ["1", "2"] },
    { args: ["2"] },
  ]) {
    expect(of(ours)).not.toBe(before);
  }
});

test("without a shape, fields are matched by name and list items by index", () => {
  expect(isSatisfiedBy({ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] })).toBe(true);
  expect(selectDesiredFields({ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }], d: 1 })).toEqual({ a: [{ b: 1 }] });
});
