import { expect, test } from "vitest";
import { scalingCases } from "./cases.ts";
import { measureGrowth } from "./measure-growth.ts";

/** Twice the input may take this many times as long. */
const MAX_GROWTH = 2.5;

test.each(scalingCases)(
  "$name takes linear time",
  async (scalingCase) => {
    expect(await measureGrowth(scalingCase, MAX_GROWTH)).toBeLessThanOrEqual(MAX_GROWTH);
  },
  60_000,
);
