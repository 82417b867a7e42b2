import { expect, test } from "vitest";
import { controller } from "../src/controller/index.ts";
import { ConfigMap } from "../src/kinds/generated/core/v1.ts";
import { simulate } from "../src/testing/index.ts";
import { Memcached, memcached, setupManager } from "./fakes/operator.ts";

/** A controller that generates another value in each pass. */
function generating() {
  let generated = 0;
  return controller(Memcached, {
    owns: [ConfigMap],
    reconcile({ object, want }) {
      const { name } = object.metadata;
      const password = ConfigMap.desired({ metadata: { name }, data: { value: String(++generated) } }, { create: "once" });
      return want({ children: { password: object.spec.size < 9 && password } });
    },
  });
}
const at = { name: "a", namespace: "d" };

test("a child that is created once is written once, left when it differs or is changed, created again after a deletion, and pruned", async () => {
  const { server, clock, writes, restart, manager } = await setupManager([generating()]);
  const readValue = () => server.get("configmaps", "d", "a")?.["data"].value;
  server.put("memcacheds", memcached("a"));
  await clock.settle();
  expect([readValue(), writes().length]).toEqual(["1", 1]);
  server.put("memcacheds", memcached("a", { size: 2 }));
  server.put("configmaps", { metadata: at, data: { value: "rotated" } });
  await clock.settle();
  const stopping = manager.stop();
  await clock.advance(1);
  await stopping;
  restart();
  await clock.advance(1_000);
  expect([readValue(), writes().length]).toEqual(["rotated", 1]);
  server.remove("configmaps", "d", "a");
  await clock.settle();
  expect([Number(readValue()) > 1, writes().length]).toEqual([true, 2]);
  server.put("memcacheds", memcached("a", { size: 9 }));
  await clock.settle();
  expect(readValue()).toBeUndefined();
});

test("an object of the name that exists already is left alone", async () => {
  const existing = { apiVersion: "v1", kind: "ConfigMap", metadata: at, data: { value: "theirs" } };
  const setup = await setupManager([generating()], { before: (server) => server.put("configmaps", existing) });
  setup.server.put("memcacheds", memcached("a"));
  await setup.clock.settle();
  expect([setup.server.get("configmaps", "d", "a")?.["data"], setup.writes()]).toEqual([{ value: "theirs" }, []]);
});

test("simulate() creates a child once", async () => {
  const sim = await simulate(generating(), [Memcached.desired({ metadata: at, spec: {} })]);
  const before = sim.get(ConfigMap, at)?.data;
  await sim.put([Memcached, { metadata: { ...at, labels: { poke: "1" } } }]);
  expect([sim.get(ConfigMap, at)?.data, sim.plans.length]).toEqual([before, 1]);
});
