import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { monitorEventLoopLag } from "./event-loop-lag.ts";

afterEach(() => vi.restoreAllMocks());

/** Blocks the event loop, like a reconcile without an await. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe("event loop lag", () => {
  test("is measured while there is work, and reported once", async () => {
    const lag = monitorEventLoopLag();
    lag.markActive();
    block(400);
    await delay(1);
    const { max, p99 } = lag.takeStatistics();
    expect(max).toBeGreaterThan(0.25);
    expect(p99).toBeGreaterThan(0.25);
    expect(lag.takeStatistics()).toEqual({ max: 0, p99: 0 });
    lag.stop();
  });

  test("is not sampled while the process is idle", () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    try {
      const lag = monitorEventLoopLag();
      expect(vi.getTimerCount()).toBe(0);
      lag.markActive();
      lag.markActive();
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(1_900);
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(500);
      expect(vi.getTimerCount()).toBe(0);
      // Idle time does not count as lag.
      vi.advanceTimersByTime(60_000);
      lag.markActive();
      vi.advanceTimersByTime(300);
      expect(lag.takeStatistics().max).toBeLessThan(0.01);
      lag.stop();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
