import { virtualClock } from "pintle/internal/clock";
import { describe, expect, test } from "vitest";
import { FairQueue } from "../turns/index.ts";
import { PriorityLevel } from "./priority-level.ts";
import { RetryAfter } from "./retry-after.ts";

describe("a fair queue", () => {
  const drain = (queue: FairQueue<string>, cost: (item: string) => number) => {
    const served: string[] = [];
    for (let next = queue.peek(); next !== undefined; next = queue.peek()) served.push(queue.shift(cost(next)) as string);
    return served;
  };

  test("serves flows in turns, whatever the number of their items", () => {
    const queue = new FairQueue<string>();
    for (const item of ["a1", "a2", "a3", "a4"]) queue.push("a", item);
    queue.push("b", "b1");
    queue.push("c", "c1");
    expect(drain(queue, () => 1)).toEqual(["a1", "b1", "c1", "a2", "a3", "a4"]);
  });

  test("serves a flow less often if its items cost more", () => {
    const queue = new FairQueue<string>();
    for (let n = 1; n <= 3; n++) {
      queue.push("dear", `d${n}`);
      queue.push("cheap", `c${n}`);
    }
    expect(drain(queue, (item) => (item.startsWith("d") ? 10 : 1))).toEqual(["d1", "c1", "c2", "c3", "d2", "d3"]);
  });

  test("counts a cost that is known afterwards, and does not let an idle flow save up turns", () => {
    const queue = new FairQueue<string>();
    queue.push("busy", "b1");
    expect(queue.shift(0)).toBe("b1");
    queue.charge("busy", 100);
    queue.push("busy", "b2");
    queue.push("new", "n1");
    queue.push("new", "n2");
    expect(drain(queue, () => 60)).toEqual(["n1", "n2", "b2"]);
  });

  test("serves a flow that was idle before flows that keep items waiting, once", () => {
    const queue = new FairQueue<string>();
    for (const flow of ["a", "b", "c"]) for (let n = 1; n <= 3; n++) queue.push(flow, `${flow}${n}`);
    for (let n = 0; n < 3; n++) queue.shift(1);
    queue.push("idle", "i1");
    queue.push("idle", "i2");
    expect(drain(queue, () => 1).join(" ")).toBe("i1 a2 b2 c2 i2 a3 b3 c3");
  });

  test("removes a deleted item", () => {
    const queue = new FairQueue<string>();
    queue.push("a", "a1");
    queue.delete("a", "a1");
    expect([queue.length, queue.peek()]).toEqual([0, undefined]);
  });
});

describe("a priority level", () => {
  const createLevel = (limit: number, limitResponse: object) => {
    const clock = virtualClock(0);
    const level = new PriorityLevel("test", clock);
    level.configure("uid", { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse } } as never);
    level.setLimit(limit);
    return { clock, level };
  };
  const { signal } = new AbortController();
  const QUEUE = { type: "Queue", queuing: { queues: 2, handSize: 1, queueLengthLimit: 2 } };

  test("rejects beyond its seats where it has no queues", async () => {
    const { level } = createLevel(1, { type: "Reject" });
    expect(level.tryAcquire(1)).toBe(true);
    expect(level.tryAcquire(1)).toBe(false);
    expect(await level.acquire("a", 1, 1000, signal)).toBe("concurrency-limit");
    level.release(1);
    expect(level.tryAcquire(1)).toBe(true);
  });

  test("admits waiting requests in turns of their flows when seats are released", async () => {
    const { level } = createLevel(1, QUEUE);
    level.tryAcquire(1);
    const admitted: string[] = [];
    for (const [flow, name] of [
      ["a", "a1"],
      ["a", "a2"],
      ["b", "b1"],
    ] as const) {
      void level.acquire(flow, 1, 1000, signal).then((reason) => admitted.push(reason ?? name));
    }
    expect([await level.acquire("a", 1, 1000, signal), level.waiting]).toEqual(["queue-full", 3]);
    for (let n = 0; n < 3; n++) {
      level.release(1);
      await Promise.resolve();
      await Promise.resolve();
    }
    expect(admitted).toEqual(["a1", "b1", "a2"]);
  });

  test("rejects the last request of the longest flow, not one of a shorter flow, where all queues are full", async () => {
    const { level } = createLevel(1, { type: "Queue", queuing: { queues: 1, handSize: 4, queueLengthLimit: 2 } });
    level.tryAcquire(1);
    const reasons: string[] = [];
    for (const name of ["a1", "a2"])
      void level.acquire("a", 1, 1000, signal).then((reason) => reasons.push(`${name} ${reason ?? "admitted"}`));
    void level.acquire("b", 1, 1000, signal).then((reason) => reasons.push(`b1 ${reason ?? "admitted"}`));
    expect(await level.acquire("a", 1, 1000, signal)).toBe("queue-full");
    level.release(1);
    level.release(1);
    await Promise.resolve();
    await Promise.resolve();
    expect(reasons).toEqual(["a2 queue-full", "a1 admitted", "b1 admitted"]);
  });

  test("rejects a request that waited for too long or whose client disconnected", async () => {
    const { clock, level } = createLevel(1, QUEUE);
    level.tryAcquire(1);
    const disconnected = new AbortController();
    const [slow, gone] = [level.acquire("a", 1, 1000, signal), level.acquire("b", 1, 5000, disconnected.signal)];
    disconnected.abort();
    await clock.advance(1000);
    expect([await slow, await gone, level.waiting]).toEqual(["time-out", "cancelled", 0]);
    level.release(1);
    expect(level.seatsInUse).toBe(0);
  });
});

test("Retry-After grows while a priority level keeps rejecting requests, and shrinks afterwards", async () => {
  const clock = virtualClock(0);
  const retryAfter = new RetryAfter(clock);
  const delays: number[] = [];
  for (let second = 0; second < 8; second++) {
    for (let n = 0; n < 20; n++) retryAfter.recordRejection("a");
    delays.push(retryAfter.recordRejection("a"));
    await clock.advance(1000);
  }
  expect(delays).toEqual([1, 2, 2, 4, 4, 4, 4, 8]);
  expect(retryAfter.recordRejection("b")).toBe(1);
  await clock.advance(60_000);
  expect(retryAfter.recordRejection("a")).toBe(7);
});
