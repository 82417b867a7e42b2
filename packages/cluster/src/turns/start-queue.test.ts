import { expect, test } from "vitest";
import { StartQueue } from "./start-queue.ts";

const work = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

const fail = () => {
  throw new Error("refused");
};

test("where too much waits, the source with the most loses its last work", () => {
  const queue = new StartQueue();
  const [busy, quiet] = [{}, {}];
  const refused: number[] = [];
  queue.start(busy, () => work(6), fail);
  for (let index = 0; index < 5000; index++)
    queue.start(
      busy,
      () => {},
      () => refused.push(index),
    );
  queue.start(quiet, () => {}, fail);
  expect(refused).toEqual([4999]);
});

test("work starts at once while little was started in this iteration", () => {
  const queue = new StartQueue();
  const started: string[] = [];
  for (const name of ["a", "b"]) queue.start({}, () => started.push(name), fail);
  expect(started).toEqual(["a", "b"]);
});

test("a source with one piece of work does not wait for all work of the others, and other callbacks run in between", async () => {
  const queue = new StartQueue();
  const [busy, quiet] = [{}, {}];
  const started: string[] = [];
  let iterations = 0;
  const count = () => {
    iterations++;
    if (started.length < 101) setImmediate(count);
  };
  setImmediate(count);
  for (let index = 0; index < 100; index++) {
    queue.start(
      busy,
      () => {
        work(2);
        started.push("busy");
      },
      fail,
    );
  }
  await new Promise<void>((resolve) =>
    queue.start(
      quiet,
      () => {
        started.push("quiet");
        resolve();
      },
      fail,
    ),
  );
  expect(started.indexOf("quiet")).toBeLessThan(10);
  while (started.length < 101) await new Promise((resolve) => setImmediate(resolve));
  expect(iterations).toBeGreaterThan(20);
});
