import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { virtualClock } from "./virtual-clock.ts";

test("RT-43 timers fire in order when the clock is advanced, including timers set by other timers", async () => {
  const clock = virtualClock("2026-01-01T00:00:00Z");
  const seen: string[] = [];
  clock.setTimeout(() => seen.push("b"), 20);
  clock.setTimeout(() => seen.push("a"), 10);
  const cancelled = clock.setTimeout(() => seen.push("never"), 15);
  clock.clearTimeout(cancelled);
  const chain = (async () => {
    for (let i = 0; i < 3; i++) {
      await clock.sleep(10);
      seen.push(`c${i}@${clock.monotonic()}`);
    }
  })();
  await clock.advance(25);
  expect(seen).toEqual(["a", "c0@10", "b", "c1@20"]);
  expect(clock.next).toBe(5);
  await clock.advance(5);
  await chain;
  expect(new Date(clock.now()).toISOString()).toBe("2026-01-01T00:00:00.030Z");
});

test("time stays a whole number of milliseconds when delays are fractions", async () => {
  const clock = virtualClock(0);
  const times: number[] = [];
  clock.setTimeout(() => times.push(clock.now()), 10.5);
  await clock.advance(10.5);
  expect(times).toEqual([11]);
  await clock.advance(0.25);
  expect(clock.now()).toBe(12);
});

test("sleep ends with the signal's reason and leaves no timer", async () => {
  const clock = virtualClock();
  const abort = new AbortController();
  const sleeping = clock.sleep(1000, abort.signal);
  abort.abort(new Error("enough"));
  await expect(sleeping).rejects.toThrow("enough");
  expect(clock.pending).toBe(0);
  await expect(systemClock.sleep(1000, abort.signal)).rejects.toThrow("enough");
});
