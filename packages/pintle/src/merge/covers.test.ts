import { expect, test } from "vitest";
import type { Json, Shape } from "../kinds/index.ts";
import { digest } from "./canonical.ts";
import { covers } from "./covers.ts";
import { project } from "./project.ts";

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
  ["more in live", { a: 1 }, { a: 1, b: 2 }, []],
  ["undefined says nothing", { a: undefined } as never, {}, []],
  ["missing", { a: { b: 1 } }, { a: {} }, [".a.b"]],
  ["another value", { a: { b: 1, c: 2 } }, { a: { b: 2, c: 2 } }, [".a.b"]],
  ["quantities as numbers", { cpu: "0.5" }, { cpu: "500m" }, []],
  ["quantities that differ", { cpu: "0.5" }, { cpu: "501m" }, [".cpu"]],
  ["a quantity that is none", { cpu: "much" }, { cpu: "many" }, [".cpu"]],
  ["times to the second", { at: "2024-01-01T01:00:00.7+01:00" }, { at: "2024-01-01T00:00:00Z" }, []],
  ["only in the server's form", { at: "2024-01-01T00:00:00Z" }, { at: "2024-01-01T00:00:00.5Z" }, [".at"]],
  ["micro times to the microsecond", { beat: "2024-01-01T00:00:00.1234567Z" }, { beat: "2024-01-01T00:00:00.123456Z" }, []],
  ["micro times that differ", { beat: "2024-01-01T00:00:00.123457Z" }, { beat: "2024-01-01T00:00:00.123456Z" }, [".beat"]],
  [
    "items by key, defaults filled in",
    { ports: [{ port: 80, name: "a" }] },
    { ports: [{ port: 9 }, { port: 80, protocol: "TCP", name: "a" }] },
    [],
  ],
  ["another item", { ports: [{ port: 80 }, { port: 443, protocol: "UDP" }] }, { ports: [{ port: 80 }, { port: 443 }] }, [".ports[1]"]],
  ["a field of an item", { ports: [{ port: 80, name: "a" }] }, { ports: [{ port: 80, name: "b" }] }, [".ports[0].name"]],
  ["sets by value", { set: ["b"] }, { set: ["a", "b"] }, []],
  ["sets that lack one", { set: ["c"] }, { set: ["a", "b"] }, [".set"]],
  ["other lists by place", { args: ["a", { x: 1 }] }, { args: ["a", { x: 1, y: 2 }] }, []],
  ["lists of another length", { args: ["a"] }, { args: ["a", "b"] }, [".args"]],
  ["empty values the server drops are a doubt", { a: false, b: {}, c: [] }, {}, [".a", ".b", ".c"]],
  ["bigints", { a: 5n }, { a: 5 }, []],
])("%s", (_, desired, live, expected) => {
  const misses: string[] = [];
  expect(covers(desired, live, SHAPE, misses)).toBe(expected.length === 0);
  expect(misses).toEqual(expected);
  expect(covers(desired, live, SHAPE)).toBe(expected.length === 0);
});

test("the projection of live changes exactly with what is desired", () => {
  const desired = { a: 1, ports: [{ port: 80, name: "a" }], set: ["x"], args: ["1"] };
  const live = { a: 1, ports: [{ port: 80, protocol: "TCP", name: "a" }], set: ["y", "x"], args: ["1"] };
  const before = digest(project(desired, live, SHAPE));
  const of = (change: object) => digest(project(desired, { ...live, ...change }, SHAPE));
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

test("without a shape maps go by name and lists by place", () => {
  expect(covers({ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] })).toBe(true);
  expect(project({ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }], d: 1 })).toEqual({ a: [{ b: 1 }] });
});
