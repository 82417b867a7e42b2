import { expect, test } from "vitest";
import { seededRandom, virtualClock } from "../clock/index.ts";
import type { WorkItem } from "./key-queue.ts";
import { createWorkQueue } from "./work-queue.ts";

test("RT-2 a key is never processed concurrently; N workers process N keys in parallel", async () => {
  const clock = virtualClock();
  const running = new Set<string>();
  let most = 0;
  const runs = new Map<string, number>();
  const work = async ({ key }: WorkItem) => {
    if (running.has(key)) throw new Error(`${key} runs twice`);
    running.add(key);
    most = Math.max(most, running.size);
    runs.set(key, (runs.get(key) ?? 0) + 1);
    await clock.sleep(10);
    running.delete(key);
  };
  const q = createWorkQueue({ clock, concurrency: 4, work });
  const random = seededRandom(1);
  q.start();
  for (let i = 0; i < 500; i++) {
    q.add(`k${Math.floor(random() * 20)}`);
    if (i % 10 === 0) await clock.advance(3);
  }
  await clock.advance(1000);
  expect(most).toBe(4);
  expect(runs.size).toBe(20);
  expect(q.isIdle).toBe(true);
});

test("RT-6 a throw, a rejection and a synchronous throw are retried without affecting other keys", async () => {
  const clock = virtualClock();
  const seen: string[] = [];
  const work = ({ key, failures }: WorkItem) => {
    seen.push(key);
    if (failures >= 2) return;
    if (key === "sync") throw new Error("at once");
    if (key === "async") return Promise.reject(new Error("later"));
    return;
  };
  const q = createWorkQueue({ clock, concurrency: 2, work });
  q.start();
  for (const key of ["sync", "async", "good"]) q.add(key);
  await clock.advance(100);
  expect(seen.filter((key) => key === "sync")).toHaveLength(3);
  expect(seen.filter((key) => key === "async")).toHaveLength(3);
  expect(seen.filter((key) => key === "good")).toHaveLength(1);
});

test("RT-4 a requeue with a delay runs once when it is due", async () => {
  const clock = virtualClock();
  const at: number[] = [];
  const work = () => {
    at.push(clock.monotonic());
    return at.length === 1 ? ({ type: "requeue", after: 60_000 } as const) : undefined;
  };
  const q = createWorkQueue({ clock, work });
  q.start();
  q.add("a");
  await clock.advance(59_999);
  expect(at).toEqual([0]);
  await clock.advance(3_600_000);
  expect(at).toEqual([0, 60_000]);
  expect(clock.pending).toBe(0);
});

test("RT-24 stop waits for running keys, starts no others, and aborts the signal after the grace period", async () => {
  const clock = virtualClock();
  const ended: string[] = [];
  let aborted = false;
  const q = createWorkQueue({
    clock,
    concurrency: 2,
    async work({ key }, signal) {
      if (key === "stuck")
        await new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => {
            aborted = true;
            void clock.sleep(5_000).then(resolve);
          }),
        );
      else await clock.sleep(100);
      ended.push(key);
    },
  });
  q.start();
  for (const key of ["short", "stuck", "never"]) q.add(key);
  await clock.advance(50);
  const stopped = q.stop(30_000);
  q.add("late");
  await clock.advance(29_000);
  expect(ended).toEqual(["short"]);
  expect(aborted).toBe(false);
  await clock.advance(1_000);
  expect(await stopped).toEqual(["stuck"]);
  expect(aborted).toBe(true);
  await clock.advance(60_000);
  expect(ended).toEqual(["short", "stuck"]);
  expect(clock.pending).toBe(0);
});

test("keys are collected before start and while paused, and processed afterwards", async () => {
  const clock = virtualClock();
  const seen: string[] = [];
  const q = createWorkQueue({ clock, work: ({ key }) => void seen.push(key) });
  q.add("a");
  await clock.advance(10);
  expect(seen).toEqual([]);
  q.start();
  await clock.advance(10);
  await q.pause();
  q.add("b");
  q.add("c", { after: 5 });
  await clock.advance(10);
  expect(seen).toEqual(["a"]);
  q.start();
  await clock.settle();
  expect(seen).toEqual(["a", "b", "c"]);
});

test("RT-49 a busy queue yields to the event loop between batches", async () => {
  let turns = 0;
  let left = 1000;
  let done = () => {};
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  const work = () => {
    if (--left === 0) done();
  };
  const q = createWorkQueue({ concurrency: 10, work });
  const iterate = () => {
    turns++;
    if (left > 0) setImmediate(iterate);
  };
  for (let i = 0; i < 1000; i++) q.add(`k${i}`);
  setImmediate(iterate);
  q.start();
  await all;
  await q.stop();
  expect(turns).toBeGreaterThanOrEqual(100);
});

test("a queue that was stopped before it was started stays stopped", async () => {
  const clock = virtualClock();
  const seen: string[] = [];
  const q = createWorkQueue({ clock, work: ({ key }) => void seen.push(key) });
  q.add("before");
  await q.stop();
  q.start();
  q.add("after");
  await clock.advance(100);
  expect({ seen, isWorking: q.isWorking, isIdle: q.isIdle }).toEqual({ seen: [], isWorking: false, isIdle: true });
});
