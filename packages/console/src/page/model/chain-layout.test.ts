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
  expect(items[1]!.width).toBeGreaterThan(0);
  expect(ticks[0]?.ms).toBe(0);
});

test("leads to the right: what starts later is further right, on any track", () => {
  const { items } = layOutChain([item("a", "x", 0), item("b", "y", 1), item("c", "z", 2)]);
  expect(items[1]!.x - items[0]!.x).toBeGreaterThanOrEqual(40);
  expect(items[2]!.x - items[1]!.x).toBeGreaterThanOrEqual(40);
});

test("fills the room that there is", () => {
  const chain = [item("a", "x", 0), item("b", "y", 1)];
  expect(layOutChain(chain, 1_000).width).toBe(1_000);
  expect(layOutChain(chain, 1_000).items[1]!.x).toBeGreaterThan(700);
  expect(layOutChain(chain, 10).width).toBe(layOutChain(chain).width);
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
