import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { ConfigMap } from "../kinds/generated/core/v1.ts";
import { seeded, virtualClock } from "../queue/index.ts";
import { controller } from "./controller.ts";
import { daemons } from "./daemons.ts";
import { silent } from "./logger.ts";
import type { Plant } from "./plant.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const heap = () => {
  collect();
  return process.memoryUsage().heapUsed;
};

test("idea 18 5,000 daemons that wait take less than 20 MB, and none is left when they are told", async () => {
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
  const plant = { clock, random: seeded(1), logger: silent } as unknown as Plant;
  const beside = daemons({ controller: waiting, plant, primary: undefined as never, wake() {} });
  const objects = Array.from({ length: 5_000 }, (_, i) => ({ metadata: { uid: `u${i}`, name: `n${i}` } })) as never[];
  const before = heap();
  for (const object of objects) beside.tend(object);
  for (const object of objects) beside.tend(object);
  await clock.settle();
  expect(running).toBe(5_000);
  expect((heap() - before) / 2 ** 20).toBeLessThan(20);
  await beside.dismissAll();
  expect([running, clock.pending]).toEqual([0, 0]);
});
