import { expect, test } from "vitest";
import { MAX_ROWS, windowRows } from "./window-rows.ts";

test("draws what is visible and a few rows around it, and never more than 60", () => {
  expect(windowRows(100_000, 28, 0, 560)).toEqual({ first: 0, end: 27 });
  expect(windowRows(100_000, 28, 28 * 500, 560)).toEqual({ first: 494, end: 527 });
  const tall = windowRows(100_000, 28, 28 * 500, 10_000);
  expect(tall.end - tall.first).toBe(MAX_ROWS);
});

test("draws the last rows when the list is scrolled to its end or became shorter, and nothing of an empty one", () => {
  expect(windowRows(100, 28, 1e9, 560).end).toBe(100);
  expect(windowRows(3, 28, 1e9, 560)).toEqual({ first: 0, end: 3 });
  expect(windowRows(0, 28, 0, 560)).toEqual({ first: 0, end: 0 });
});
