import { describe, expect, test } from "vitest";
import { virtualClock } from "../src/clock/index.ts";
import { controller } from "../src/controller/index.ts";
import { ConfigMap } from "../src/kinds/generated/core/v1.ts";
import { statusResponse } from "./fakes/api-server.ts";
import { Memcached, memcached, setupManager } from "./fakes/operator.ts";

const elected = { leaderElection: { name: "lease", namespace: "d", identity: "one" } };

describe("shutdown", () => {
  test("RT-24 recorded Events are written before the lease is released", async () => {
    const clock = virtualClock();
    const op = controller(Memcached, {
      async reconcile({ object, event }) {
        await clock.sleep(5_000);
        event("Done", `${object.metadata.name} is done`);
      },
    });
    const { server, manager } = await setupManager([op], { clock, ...elected });
    server.put("memcacheds", memcached("a"));
    await clock.advance(1_000);
    const stopping = manager.stop();
    await clock.advance(3_999);
    expect(server.list("events")).toEqual([]);
    await clock.advance(1);
    await stopping;
    expect(server.list("events")).toMatchObject([{ reason: "Done" }]);
    const [posted, released] = [
      server.requests.findIndex((line) => line.startsWith("POST") && line.endsWith("/events")),
      server.requests.findLastIndex((line) => line.startsWith("PUT") && line.endsWith("/leases/lease")),
    ];
    expect(posted).toBeLessThan(released);
    expect(server.get("leases", "d", "lease")!["spec"].holderIdentity).toBe("");
  });

  test("RT-23 Events are not written after the lease is lost", async () => {
    const clock = virtualClock();
    const op = controller(Memcached, {
      async reconcile({ event }) {
        await clock.sleep(20_000);
        event("Late", "written by a former leader");
      },
    });
    const { server, lines } = await setupManager([op], { clock, ...elected });
    server.put("memcacheds", memcached("a"));
    server.intercept = (request) => (request.path.includes("leases") ? statusResponse(500, "InternalError") : undefined);
    await clock.advance(30_000);
    expect(server.list("events")).toEqual([]);
    expect(lines.filter((line) => line.message.includes("Failed to record event"))).toEqual([]);
  });

  test("an unresponsive server delays the shutdown by a few seconds only", async () => {
    const clock = virtualClock();
    const op = controller(Memcached, { reconcile: ({ event }) => event("Seen", "the server does not respond") });
    const { server, manager } = await setupManager([op], { clock, ...elected });
    const silence = ({ signal }: { readonly signal?: AbortSignal | undefined }) =>
      new Promise<undefined>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    server.intercept = (request) => (/events|leases/.test(request.path) ? silence(request) : undefined);
    server.put("memcacheds", memcached("a"));
    await clock.advance(1_000);
    let over = false;
    const stopping = manager.stop().then(() => (over = true));
    await clock.advance(3_900);
    expect(over).toBe(false);
    await clock.advance(200);
    await stopping;
  });

  test("a pass that is running ends within the grace period, and no other pass starts", async () => {
    const clock = virtualClock();
    let passes = 0;
    const op = controller(Memcached, {
      owns: [ConfigMap],
      async reconcile({ object, want }) {
        passes++;
        await clock.sleep(5_000);
        return want({
          children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name } }) },
          status: { nodes: [] },
        });
      },
    });
    const { server, manager, lines } = await setupManager([op], { clock });
    server.put("memcacheds", memcached("a"));
    await clock.advance(1_000);
    const stopping = manager.stop();
    await clock.advance(4_100);
    await stopping;
    expect(passes).toBe(1);
    expect(server.list("configmaps")).toHaveLength(1);
    expect(lines.filter((line) => ["warn", "error"].includes(line.level))).toEqual([]);
  });

  test("RT-47 stopping during a reconciliation logs no warning and no error", async () => {
    const clock = virtualClock();
    const op = controller(Memcached, {
      owns: [ConfigMap],
      concurrency: 16,
      async reconcile({ object, want }) {
        await clock.sleep(1_000);
        return want({ children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name } }) } });
      },
    });
    const { server, manager, lines } = await setupManager([op], { clock, ...elected });
    for (let i = 0; i < 50; i++) server.put("memcacheds", memcached(`m${i}`));
    await clock.advance(500);
    const stopping = manager.stop();
    await clock.advance(10_000);
    await stopping;
    expect(server.list("configmaps")).toHaveLength(16);
    expect(lines.filter((line) => ["warn", "error"].includes(line.level))).toEqual([]);
    expect([clock.pending, server.watches]).toEqual([0, 0]);
  });

  test("RT-63 only primary objects of a controller with finalize get a finalizer, never owned or watched objects", async () => {
    const op = controller(Memcached, {
      name: "op",
      owns: [ConfigMap],
      reconcile: ({ object, want }) => want({ children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name } }) } }),
      finalize() {},
    });
    const made = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(made.server.get("memcacheds", "d", "a")!["metadata"].finalizers).toEqual(["pintle.dev/op"]);
    expect(made.server.get("configmaps", "d", "a")!["metadata"].finalizers).toBeUndefined();
    const plain = controller(Memcached, { name: "plain", reconcile() {} });
    const left = await setupManager([plain], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(left.server.get("memcacheds", "d", "a")!["metadata"].finalizers).toBeUndefined();
  });
});
