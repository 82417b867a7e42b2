import { expect, test } from "vitest";
import { ChunkTurns } from "./chunk-turns.ts";

test("a few sources go on in each iteration of the event loop, in order", async () => {
  const turns = new ChunkTurns();
  const resumed: number[] = [];
  for (let index = 0; index < 20; index++) turns.schedule(() => resumed.push(index));
  const counts: number[] = [];
  while (resumed.length < 20) {
    await new Promise((resolve) => setImmediate(resolve));
    counts.push(resumed.length);
  }
  expect(resumed).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(counts).toEqual([8, 16, 20]);
});
