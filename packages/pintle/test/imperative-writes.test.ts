import { expect, test } from "vitest";
import { allow } from "../src/client/index.ts";
import { controller, elsewhere, formatPlan } from "../src/controller/index.ts";
import { ConfigMap, Secret } from "../src/kinds/generated/core/v1.ts";
import { simulate } from "../src/testing/index.ts";
import { Memcached, memcached, setupManager } from "./fakes/operator.ts";

test("the log line of a reconciliation shows what it wrote with `client`, also when it failed", async () => {
  let isFailing = false;
  const op = controller(Memcached, {
    owns: [ConfigMap],
    needs: [allow(ConfigMap, "create"), allow(Secret, "create")],
    async reconcile({ object, owned, client, withOwner }) {
      const { namespace } = object.metadata;
      if (owned(ConfigMap).get("run") === undefined) await client.create(ConfigMap, withOwner(ConfigMap, { metadata: { name: "run" } }));
      if (!isFailing) return;
      await client.create(Secret, { metadata: { name: "s", namespace } });
      throw new Error("billing is down");
    },
  });
  const { server, clock, lines } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
  await clock.settle();
  const reconciled = () => lines.filter(({ message }) => message === "Reconciled" || message === "Reconciler error");
  expect(reconciled()).toMatchObject([{ level: "info", plan: "create ConfigMap d/run (by reconcile)" }]);
  const { ownerReferences } = server.get("configmaps", "d", "run")!["metadata"];
  expect(ownerReferences).toMatchObject([{ kind: "Memcached", name: "a", controller: true, blockOwnerDeletion: true }]);

  isFailing = true;
  server.put("memcacheds", memcached("a", { size: 2 }));
  await clock.settle();
  expect(reconciled()[1]).toMatchObject({ level: "error", plan: "create Secret d/s (by reconcile)" });
});

test("plans of a simulation show imperative writes before the plan, and a deletion of finalize", async () => {
  const op = controller(Memcached, {
    owns: [ConfigMap],
    needs: [allow(ConfigMap, "create", "delete")],
    async reconcile({ owned, client, want, withOwner }) {
      if (owned(ConfigMap).get("run") === undefined) await client.create(ConfigMap, withOwner(ConfigMap, { metadata: { name: "run" } }));
      return want({ children: { settings: ConfigMap.desired({ metadata: { name: "settings" } }) } });
    },
    async finalize({ object, client }) {
      await client.delete(ConfigMap, { name: "run", namespace: object.metadata.namespace });
    },
  });
  const sim = await simulate(op, [Memcached.desired({ metadata: { name: "a" }, spec: { size: 1 } })]);
  expect(sim.plans.map(formatPlan)).toEqual([
    "create ConfigMap default/run (by reconcile), apply settings ConfigMap default/settings (missing)",
  ]);
  await sim.delete(Memcached, { name: "a", namespace: "default" });
  expect(sim.plans.slice(1).map(formatPlan)).toEqual(["delete ConfigMap default/run (by finalize)"]);
  expect(sim.get(Memcached, { name: "a", namespace: "default" })).toBeUndefined();
});

test("withOwner labels an object in another namespace, and refuses a kind that is not in `owns`", async () => {
  const op = controller(Memcached, {
    owns: [elsewhere(ConfigMap)],
    needs: [allow(ConfigMap, "create")],
    async reconcile({ object, client, owned, withOwner }) {
      expect(() => withOwner(Secret as never, { metadata: { name: "s" } })).toThrow(/add Secret there/);
      if (owned(ConfigMap).list().length > 0) return;
      const created = await client.create(ConfigMap, withOwner(ConfigMap, { metadata: { name: "run", namespace: "other" } }));
      expect(created.metadata.labels).toEqual({ "pintle.dev/owner": object.metadata.uid });
      expect(created.metadata.ownerReferences).toBeUndefined();
    },
  });
  const sim = await simulate(op, [Memcached.desired({ metadata: { name: "a" }, spec: { size: 1 } })]);
  expect(sim.get(ConfigMap, { name: "run", namespace: "other" })?.metadata.annotations).toEqual({ "pintle.dev/owned-by": "default/a" });
});
