import { expect, test } from "vitest";
import { createTurnQueue, mapInTurns } from "./index.ts";

const work = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

test("callers that wait at the same time get their turns in different iterations of the event loop", async () => {
  const turns = createTurnQueue();
  const iterations: number[] = [];
  let iteration = 0;
  const count = () => {
    if (++iteration < 100) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(
    [1, 2, 3].map(() =>
      turns
        .begin()
        .wait()
        .then(() => iterations.push(iteration)),
    ),
  );
  expect(new Set(iterations).size).toBe(3);
});

test("work that began earlier gets every turn it waits for before work that began later", async () => {
  const queue = createTurnQueue();
  const order: string[] = [];
  const run = async (name: string, turns = queue.begin()) => {
    for (let step = 1; step <= 3; step++) {
      await turns.wait();
      order.push(`${name}${step}`);
    }
  };
  await Promise.all([run("a"), run("b")]);
  expect(order).toEqual(["a1", "a2", "a3", "b1", "b2", "b3"]);
});

test("after a turn others have the event loop for as long as the turn lasted", async () => {
  const queue = createTurnQueue();
  const turns = [queue.begin(), queue.begin()];
  const ends: number[] = [];
  const starts: number[] = [];
  let isOver = false;
  // Requests that keep the event loop busy, whatever the turns do.
  const serve = () => {
    work(0.2);
    if (!isOver) setImmediate(serve);
  };
  setImmediate(serve);
  await Promise.all(
    turns.map(async (each) => {
      await each.wait();
      starts.push(performance.now());
      work(20);
      ends.push(performance.now());
    }),
  );
  isOver = true;
  expect((starts[1] as number) - (ends[0] as number)).toBeGreaterThan(19);
});

test("mapInTurns waits for a turn when the current one has lasted too long, and keeps the order", async () => {
  let waits = 0;
  const turns = { isDivided: true, wait: async () => void waits++ };
  const items = Array.from({ length: 64 }, (_, index) => index);
  const double = (item: number) => {
    work(1);
    return item * 2;
  };
  expect(await mapInTurns(items, double, turns)).toEqual(items.map((item) => item * 2));
  expect(waits).toBe(4);
});
