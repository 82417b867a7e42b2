import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { inTurn } from "./turn.ts";

test.runIf(process.platform === "linux")("one after another, also after one that failed", async () => {
  let inside = 0;
  const seen: number[] = [];
  const work = (fails: boolean) =>
    inTurn(async () => {
      seen.push(++inside);
      await turnOfTheLoop();
      inside--;
      if (fails) throw new Error("failed");
    });
  const ended = await Promise.allSettled([work(false), work(true), work(false)]);
  expect(seen).toEqual([1, 1, 1]);
  expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "fulfilled", "rejected"]);
});
