import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { anySignal } from "./any-signal.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

test("a timeout fires, though nobody but the signal made of it knows it, and garbage is collected meanwhile", async () => {
  const stopped = new AbortController();
  const fired: unknown[] = [];
  for (let i = 0; i < 20; i++) {
    const either = anySignal([stopped.signal, AbortSignal.timeout(100)]);
    either.addEventListener("abort", () => fired.push(either.reason));
  }
  for (let i = 0; i < 100 && fired.length < 20; i++) {
    collect();
    await delay(20);
  }
  expect(fired.map((reason) => (reason as Error).name)).toEqual(Array(20).fill("TimeoutError"));
});
