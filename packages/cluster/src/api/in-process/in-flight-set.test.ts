import { describe, expect, test } from "vitest";
import { InFlightSet } from "./in-flight-set.ts";

describe("InFlightSet", () => {
  test("returns the remaining entries in a snapshot, whichever entry is deleted first", () => {
    const set = new InFlightSet<{ readonly name: string; index: number }>();
    const [a, b, c] = ["a", "b", "c"].map((name) => ({ name, index: -1 })) as [never, never, never];
    for (const one of [a, b, c]) set.add(one);
    expect(set.delete(a)).toBe(true);
    expect(new Set(set.snapshot())).toEqual(new Set([b, c]));
    expect(set.delete(c)).toBe(true);
    expect(set.delete(b)).toBe(true);
    expect(set.snapshot()).toEqual([]);
  });

  test("returns false when an entry is deleted twice", () => {
    const set = new InFlightSet<{ index: number }>();
    const [a, b] = [{ index: -1 }, { index: -1 }];
    expect(set.delete(a)).toBe(false);
    set.add(a);
    set.add(b);
    expect(set.delete(a)).toBe(true);
    expect(set.delete(a)).toBe(false);
    expect(set.snapshot()).toEqual([b]);
  });
});
