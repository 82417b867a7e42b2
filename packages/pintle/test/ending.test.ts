import { describe, expect, test } from "vitest";
import { controller } from "../src/controller/index.ts";
import { ConfigMap } from "../src/kinds/generated/core/v1.ts";
import { virtualClock } from "../src/queue/index.ts";
import { Memcached, memcached, setup } from "./tiny/operator.ts";
import { refusal } from "./tiny/server.ts";

const elected = { leaderElection: { name: "lease", namespace: "d", identity: "one" } };

describe("ending", () => {
  test("c-r 7.24 what was announced is written before the lease is handed over, in order", async () => {
    const clock = virtualClock();
    const op = controller(Memcached, {
      async reconcile({ object, event }) {
        await clock.sleep(5_000);
        event("Done", `${object.metadata.name} is done`);
      },
    });
    const { server, manager } = await setup([op], { clock, ...elected });
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

  test("c-r 7.23 events are not written either once the lease is lost", async () => {
    const clock = virtualClock();
    const op = controller(Memcached, {
      async reconcile({ event }) {
        await clock.sleep(20_000);
        event("Late", "by somebody who may not");
      },
    });
    const { server, lines } = await setup([op], { clock, ...elected });
    server.put("memcacheds", memcached("a"));
    server.intercept = (request) => (request.path.includes("leases") ? refusal(500, "InternalError") : undefined);
    await clock.advance(30_000);
    expect(server.list("events")).toEqual([]);
    expect(lines.filter((line) => line.message.includes("an event could not be written"))).toEqual([]);
  });

  test("a server that has fallen silent holds up neither the last events nor the lease for more than a few seconds", async () => {
    const clock = virtualClock();
    const op = controller(Memcached, { reconcile: ({ event }) => event("Seen", "and nobody answers") });
    const { server, manager } = await setup([op], { clock, ...elected });
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

  test("better 14 a normal stop in the middle of work leaves no warning and no error in the log", async () => {
    const clock = virtualClock();
    const op = controller(Memcached, {
      owns: [ConfigMap],
      concurrency: 16,
      async reconcile({ object, want }) {
        await clock.sleep(1_000);
        return want({ children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name } }) } });
      },
    });
    const { server, manager, lines } = await setup([op], { clock, ...elected });
    for (let i = 0; i < 50; i++) server.put("memcacheds", memcached(`m${i}`));
    await clock.advance(500);
    const stopping = manager.stop();
    await clock.advance(10_000);
    await stopping;
    expect(server.list("configmaps")).toHaveLength(16);
    expect(lines.filter((line) => ["warn", "error"].includes(line.level))).toEqual([]);
    expect([clock.pending, server.watches]).toEqual([0, 0]);
  });

  test("idea 10 only objects of a controller with finalize carry a finalizer, and never what it owns or watches", async () => {
    const op = controller(Memcached, {
      name: "op",
      owns: [ConfigMap],
      reconcile: ({ object, want }) => want({ children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name } }) } }),
      finalize() {},
    });
    const made = await setup([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(made.server.get("memcacheds", "d", "a")!["metadata"].finalizers).toEqual(["pintle.dev/op"]);
    expect(made.server.get("configmaps", "d", "a")!["metadata"].finalizers).toBeUndefined();
    const plain = controller(Memcached, { name: "plain", reconcile() {} });
    const left = await setup([plain], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(left.server.get("memcacheds", "d", "a")!["metadata"].finalizers).toBeUndefined();
  });
});
