import { describe, expect, test } from "vitest";
import { Roster } from "./roster.ts";

describe("a roster", () => {
  test("knows who is on it, whoever leaves first", () => {
    const roster = new Roster<{ readonly name: string; place: number }>();
    const [a, b, c] = ["a", "b", "c"].map((name) => ({ name, place: -1 })) as [never, never, never];
    for (const one of [a, b, c]) roster.add(one);
    expect(roster.delete(a)).toBe(true);
    expect(new Set(roster.all())).toEqual(new Set([b, c]));
    expect(roster.delete(c)).toBe(true);
    expect(roster.delete(b)).toBe(true);
    expect(roster.all()).toEqual([]);
  });

  test("nobody leaves twice", () => {
    const roster = new Roster<{ place: number }>();
    const [a, b] = [{ place: -1 }, { place: -1 }];
    expect(roster.delete(a)).toBe(false);
    roster.add(a);
    roster.add(b);
    expect(roster.delete(a)).toBe(true);
    expect(roster.delete(a)).toBe(false);
    expect(roster.all()).toEqual([b]);
  });
});
