import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { seededRandom, virtualClock } from "../../clock/index.ts";
import { ConfigMap } from "../../kinds/generated/core/v1.ts";
import { controller } from "../declare/controller.ts";
import type { ControllerDeps } from "../deps.ts";
import { silentLogger } from "../logger.ts";
import { createDaemons } from "./daemons.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const heap = () => {
  collect();
  return process.memoryUsage().heapUsed;
};

test("RT-71 5,000 waiting daemons take less than 20 MB, and none is left after they are stopped", async () => {
  let running = 0;
  const waiting = controller(ConfigMap, {
    daemons: {
      async wait({ signal }) {
        running++;
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        running--;
      },
    },
    reconcile() {},
  });
  const clock = virtualClock();
  const deps = { clock, random: seededRandom(1), logger: silentLogger } as unknown as ControllerDeps;
  const beside = createDaemons({ controller: waiting, deps, primary: undefined as never, enqueue() {} });
  const objects = Array.from({ length: 5_000 }, (_, i) => ({ metadata: { uid: `u${i}`, name: `n${i}` } })) as never[];
  const before = heap();
  for (const object of objects) beside.ensureRunning(object);
  for (const object of objects) beside.ensureRunning(object);
  await clock.settle();
  expect(running).toBe(5_000);
  expect((heap() - before) / 2 ** 20).toBeLessThan(20);
  await beside.stopAll();
  expect([running, clock.pending]).toEqual([0, 0]);
});
