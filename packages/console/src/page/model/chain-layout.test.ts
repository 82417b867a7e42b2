import { expect, test } from "vitest";
import { layOutChain } from "./chain-layout.ts";

const item = (id: string, track: string, start: number, end = start) => ({ id, track, start, end });

test("orders tracks by their first item and places items by time", () => {
  const { tracks, items, ticks } = layOutChain([item("c", "pods", 30), item("a", "you", 0), item("b", "operator", 5, 14)]);
  expect(tracks).toEqual(["you", "operator", "pods"]);
  expect(items.map(({ id, track }) => [id, track])).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 2],
  ]);
  expect(items[1]!.x).toBeGreaterThan(items[0]!.x);
  expect(items[1]!.width).toBe(18);
  expect(ticks[0]?.ms).toBe(0);
});

test("folds idle gaps and says how long they were", () => {
  const { folds, width } = layOutChain([item("a", "x", 0), item("b", "x", 3_600_000)]);
  expect(folds.map(({ ms }) => ms)).toEqual([3_600_000]);
  expect(width).toBeLessThan(300);
});

test("keeps items of one track apart, also at the same time", () => {
  const { items } = layOutChain([item("a", "x", 0), item("b", "x", 0), item("c", "x", 1)]);
  const xs = items.map(({ x }) => x);
  expect(new Set(xs).size).toBe(3);
  expect(Math.min(xs[1]! - xs[0]!, xs[2]! - xs[1]!)).toBeGreaterThanOrEqual(24);
});
