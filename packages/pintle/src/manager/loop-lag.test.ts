import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { loopLag } from "./loop-lag.ts";

afterEach(() => vi.restoreAllMocks());

/** Holds the loop up, as a reconcile without an await would. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe("how late the event loop turns", () => {
  test("is seen while there is work, and told once", async () => {
    const lag = loopLag();
    lag.woken();
    block(400);
    await delay(1);
    const { most, p99 } = lag.told();
    expect(most).toBeGreaterThan(0.25);
    expect(p99).toBeGreaterThan(0.25);
    expect(lag.told()).toEqual({ most: 0, p99: 0 });
    lag.stop();
  });

  test("nobody is woken to look at a loop that has nothing to do", () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    try {
      const lag = loopLag();
      expect(vi.getTimerCount()).toBe(0);
      lag.woken();
      lag.woken();
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(1_900);
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(500);
      expect(vi.getTimerCount()).toBe(0);
      // The time at rest is not time in which it was late.
      vi.advanceTimersByTime(60_000);
      lag.woken();
      vi.advanceTimersByTime(300);
      expect(lag.told().most).toBeLessThan(0.01);
      lag.stop();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
