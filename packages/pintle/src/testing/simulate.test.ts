import { describe, expect, test } from "vitest";
import * as z from "zod";
import { allow } from "../client/index.ts";
import { virtualClock } from "../clock/index.ts";
import { controller, failed, formatPlan } from "../controller/index.ts";
import { Deployment } from "../kinds/generated/apps/v1.ts";
import { ConfigMap, Namespace, Pod } from "../kinds/generated/core/v1.ts";
import { defineResource } from "../resource/index.ts";
import { objectFixture } from "./object-fixture.ts";
import { simulate } from "./simulate.ts";

const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  spec: z.object({ size: z.int().min(1).max(9).default(2) }),
  status: z.object({ nodes: z.array(z.string()) }),
  conditions: ["Available"],
});
const at = { name: "a", namespace: "default" };
const deployment = (name: string, replicas: number) =>
  Deployment.desired({
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { name } },
      template: { metadata: { labels: { name } }, spec: { containers: [{ name: "m" }] } },
    },
  });
const memcached = controller(Memcached, {
  owns: [Deployment],
  watches: { pods: { kind: Pod, by: { label: "memcached" } } },
  reconcile({ object, owned, related, want, event }) {
    const ready = owned(Deployment).get(object.metadata.name)?.status?.readyReplicas ?? 0;
    event("Looked", `${ready} ready`);
    return want({
      children: { deployment: deployment(object.metadata.name, object.spec.size) },
      status: { nodes: related.pods.map((pod) => pod.metadata.name).sort() },
      conditions: { Available: { status: ready === object.spec.size, reason: "Replicas" } },
    });
  },
});

describe("simulate", () => {
  test("RT-61 a Memcached controller settles within three plans, without a server", async () => {
    const sim = await simulate(memcached, [Memcached.desired({ metadata: { name: "a" }, spec: {} })]);
    expect(sim.plans.length).toBeLessThanOrEqual(3);
    expect(sim.plans.map(formatPlan)).toEqual(["apply deployment Deployment default/a (missing)", "status Memcached default/a (missing)"]);
    expect(sim.get(Deployment, at)?.spec.replicas).toBe(2);
    expect(sim.get(Memcached, at)?.status?.conditions).toMatchObject([{ type: "Available", status: "False" }]);
    expect(sim.events.map((event) => event.message)).toContain("0 ready");

    await sim.put(objectFixture(Deployment, "a", { status: { readyReplicas: 2 } }));
    await sim.put(objectFixture(Pod, "p", { metadata: { labels: { memcached: "a" } } }));
    expect(sim.get(Memcached, at)?.status).toMatchObject({ nodes: ["p"], conditions: [{ status: "True" }] });
    await sim.put([Deployment, { metadata: { name: "a" }, spec: { replicas: 7 } }]);
    expect(sim.get(Deployment, at)?.spec.replicas).toBe(2);
    const before = sim.plans.length;
    await sim.put([Memcached, { metadata: { name: "a", labels: { poke: "1" } } }]);
    expect(sim.plans).toHaveLength(before);
  });

  test("RT-61 rejects with the differing fields when a controller does not settle", async () => {
    let n = 0;
    const restless = controller(Memcached, {
      owns: [ConfigMap],
      reconcile: ({ want }) => want({ children: { c: ConfigMap.desired({ metadata: { name: "c" }, data: { n: String(n++) } }) } }),
    });
    await expect(simulate(restless, [Memcached.desired({ metadata: { name: "a" }, spec: {} })])).rejects.toThrow(
      /Memcached default\/a does not settle after 10 passes: ConfigMap default\/c differs from pass to pass at \.data\.n\./,
    );
  });

  test("rejects with the error of reconcile and its stack", async () => {
    const broken = controller(Memcached, {
      reconcile() {
        throw new Error("mine");
      },
    });
    await expect(simulate(broken, [Memcached.desired({ metadata: { name: "a" }, spec: {} })])).rejects.toThrow("mine");
  });

  test("removes children and fields that are no longer desired, and supports finalizers and time", async () => {
    const seen: string[] = [];
    const op = controller(Memcached, {
      name: "op",
      owns: [ConfigMap],
      needs: [allow(ConfigMap, "delete")],
      reconcile({ object, want, reasons }) {
        seen.push(reasons.map((reason) => reason.event).join());
        const { size } = object.spec;
        const maps = Array.from({ length: size }, (_, i) =>
          ConfigMap.desired({ metadata: { name: `m${i}`, labels: size > 2 ? { big: "yes" } : undefined } }),
        );
        return want({ children: { maps }, requeueAfter: "1h" });
      },
      async finalize({ client }) {
        await client.delete(ConfigMap, { name: "m0", namespace: "default" });
      },
    });
    const sim = await simulate(op, [Memcached.desired({ metadata: { name: "a" }, spec: { size: 3 } })]);
    expect(sim.list(ConfigMap)).toHaveLength(3);
    await sim.put([Memcached, { metadata: { name: "a" }, spec: { size: 1 } }]);
    expect(sim.list(ConfigMap).map((map) => [map.metadata.name, map.metadata.labels])).toEqual([["m0", undefined]]);
    seen.length = 0;
    await sim.advance(3_600_000);
    expect(seen).toEqual(["requeue"]);
    await sim.delete(Memcached, at);
    expect(sim.get(Memcached, at)).toBeUndefined();
    expect(sim.list(ConfigMap)).toEqual([]);
  });

  test("reconcile, finalize and daemons receive the injected clock", async () => {
    const clock = virtualClock("2026-03-29T00:59:59Z");
    const seen: string[] = [];
    const op = controller(Memcached, {
      daemons: {
        async poll({ clock: own, now, signal }) {
          seen.push(`daemon ${now.toISOString()}`);
          await own.sleep(1_000, signal);
          seen.push(`slept ${own.now()}`);
        },
      },
      reconcile({ now, want }) {
        seen.push(`reconcile ${now.toISOString()}`);
        return want({ requeueAfter: "1h" });
      },
      finalize: ({ now }) => void seen.push(`finalize ${now.toISOString()}`),
    });
    const sim = await simulate(op, [Memcached.desired({ metadata: { name: "a" }, spec: {} })], { clock });
    expect(sim.clock).toBe(clock);
    expect(sim.get(Memcached, at)?.metadata.creationTimestamp).toBe("2026-03-29T00:59:59Z");
    await sim.advance(3_600_000);
    await sim.delete(Memcached, at);
    expect(seen).toEqual([
      "daemon 2026-03-29T00:59:59.000Z",
      "reconcile 2026-03-29T00:59:59.000Z",
      `slept ${Date.parse("2026-03-29T01:00:00Z")}`,
      "reconcile 2026-03-29T01:59:59.000Z",
      "finalize 2026-03-29T01:59:59.000Z",
    ]);
  });

  test("a failure that reconcile returns is reported on the object, and retried by advance", async () => {
    let isPaid = false;
    const op = controller(Memcached, {
      name: "op",
      reconcile: ({ want }) =>
        want({
          conditions: { Available: { status: isPaid, reason: "Payment" } },
          failure: isPaid ? undefined : failed("Unpaid", "the customer has not paid"),
        }),
    });
    const sim = await simulate(op, [Memcached.desired({ metadata: { name: "a" }, spec: {} })]);
    const message = "the customer has not paid (reported by controller op)";
    expect(sim.get(Memcached, at)?.status?.conditions).toMatchObject([
      { type: "Available", status: "False", reason: "Payment" },
      { type: "Ready", status: "False", reason: "Unpaid", message },
    ]);
    expect(sim.events).toMatchObject([{ type: "Warning", reason: "Unpaid", message }]);
    isPaid = true;
    await sim.advance(60_000);
    expect(sim.get(Memcached, at)?.status?.conditions).toMatchObject([{ type: "Available", status: "True" }]);
  });

  test("throws for verbs that need a server", async () => {
    const op = controller(Memcached, {
      needs: [allow(Pod, "log/get")],
      async reconcile({ client }) {
        for await (const _ of client.logs(Pod, at)) break;
      },
    });
    await expect(simulate(op, [Memcached.desired({ metadata: { name: "a" }, spec: {} })])).rejects.toThrow(
      /no server, so logs\(\) is not supported: use @pintle\/cluster/,
    );
  });
});

test("a built-in child has a status", async () => {
  const Place = defineResource({ group: "example.com", version: "v1", kind: "Place", scope: "Cluster", spec: z.object({}) });
  const place = controller(Place, {
    owns: [Namespace],
    reconcile: ({ object, owned, want }) => {
      const { name } = object.metadata;
      const phase = owned(Namespace).get(name)?.status.phase ?? "none";
      return want({ children: { namespace: Namespace.desired({ metadata: { name, labels: { phase } } }) } });
    },
  });
  const sim = await simulate(place, [Place.desired({ metadata: { name: "a" }, spec: {} })]);
  expect(sim.get(Namespace, { name: "a" })).toMatchObject({ metadata: { labels: { phase: "none" } }, status: {} });
});
