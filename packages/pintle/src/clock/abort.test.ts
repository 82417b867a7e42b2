import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { anySignal } from "./abort.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test("a timeout signal referenced only by anySignal fires although garbage is collected meanwhile", async () => {
  const stopped = new AbortController();
  const fired: unknown[] = [];
  for (let i = 0; i < 20; i++) {
    const either = anySignal([stopped.signal, AbortSignal.timeout(100)]);
    either.addEventListener("abort", () => fired.push(either.reason));
  }
  for (let i = 0; i < 100 && fired.length < 20; i++) {
    collectGarbage();
    await delay(20);
  }
  expect(fired.map((reason) => (reason as Error).name)).toEqual(Array(20).fill("TimeoutError"));
});
