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

test("a source whose work took long comes after sources whose work was short", async () => {
  const queue = new StartQueue();
  const [expensive, cheap, other] = [{}, {}, {}];
  const started: string[] = [];
  // The queue is busy for as long as something of `other` waits.
  for (let index = 0; index < 40; index++) queue.start(other, () => work(3), fail);
  queue.start(expensive, () => work(40), fail);
  queue.start(cheap, () => work(0.1), fail);
  const next = () => new Promise((resolve) => setImmediate(resolve));
  for (let iteration = 0; iteration < 4; iteration++) await next();
  queue.start(expensive, () => started.push("expensive"), fail);
  queue.start(cheap, () => started.push("cheap"), fail);
  while (started.length < 2) await next();
  expect(started).toEqual(["cheap", "expensive"]);
});

test("a source whose work was short before comes before the first work of many others", async () => {
  const queue = new StartQueue();
  const [cheap, other] = [{}, {}];
  const started: string[] = [];
  for (let index = 0; index < 3; index++) queue.start(cheap, () => {}, fail);
  queue.start(other, () => work(6), fail);
  for (let index = 0; index < 10; index++) queue.start({}, () => started.push("unknown"), fail);
  queue.start(cheap, () => started.push("cheap"), fail);
  while (started.length < 11) await new Promise((resolve) => setImmediate(resolve));
  expect(started[0]).toBe("cheap");
});
