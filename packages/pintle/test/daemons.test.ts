import { describe, expect, test } from "vitest";
import { virtualClock } from "../src/clock/index.ts";
import { controller } from "../src/controller/index.ts";
import { statusResponse } from "./fakes/api-server.ts";
import { Memcached, memcached, setupManager } from "./fakes/operator.ts";

describe("daemons", () => {
  test("RT-71 a deletion aborts the daemon, waits for it, and then removes the finalizer", async () => {
    const seen: string[] = [];
    const clock = virtualClock();
    const op = controller(Memcached, {
      name: "op",
      daemons: {
        async poll({ object, signal, enqueue, log, event }) {
          const { name } = object.metadata;
          seen.push(`begin ${name}`);
          signal.addEventListener("abort", () => seen.push(`aborted ${name}`));
          await clock.sleep(60_000, signal).catch(() => {});
          if (!signal.aborted) enqueue();
          log.info("polled");
          event("Polled", "all is well");
          await clock.sleep(3_000_000, signal).catch(() => {});
          await clock.sleep(2_000);
          seen.push(`end ${name}`);
        },
      },
      reconcile: ({ object, reasons }) => void seen.push(`reconcile ${object.metadata.name} ${reasons[0]?.source}`),
    });
    const { server, lines } = await setupManager([op], { clock, before: (s) => s.put("memcacheds", memcached("a")) });
    expect(seen).toEqual(["begin a", "reconcile a object"]);
    expect(server.get("memcacheds", "d", "a")!["metadata"].finalizers).toEqual(["pintle.dev/op"]);
    await clock.advance(60_000);
    expect(seen.splice(0)).toEqual(["begin a", "reconcile a object", "reconcile a poll"]);
    expect(lines.find((line) => line.message === "polled")).toMatchObject({ controller: "op", object: "d/a", daemon: "poll" });

    expect(server.list("events")).toMatchObject([{ reason: "Polled", note: "all is well", regarding: { name: "a" } }]);
    server.remove("memcacheds", "d", "a");
    await clock.advance(1_999);
    expect(seen).toEqual(["aborted a"]);
    expect(server.get("memcacheds", "d", "a")).toBeDefined();
    await clock.advance(1);
    expect(seen).toEqual(["aborted a", "end a"]);
    expect(server.get("memcacheds", "d", "a")).toBeUndefined();
  });

  test("RT-71 waits no longer than the grace period for a daemon that does not end", async () => {
    const op = controller(Memcached, { daemons: { deaf: () => new Promise(() => {}) }, daemonGrace: "5s", reconcile() {} });
    const { server, clock, lines } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    server.remove("memcacheds", "d", "a");
    await clock.advance(4_999);
    expect(server.get("memcacheds", "d", "a")).toBeDefined();
    await clock.advance(1);
    expect(server.get("memcacheds", "d", "a")).toBeUndefined();
    expect(lines.find((line) => line.level === "warn").message).toMatch(/Daemons did not stop within the grace period/);
  });

  test("restarts a daemon that throws with backoff, and stops it on pause, on a removed finalizer and on manager stop", async () => {
    const begun: number[] = [];
    const clock = virtualClock();
    let running = 0;
    const op = controller(Memcached, {
      daemons: {
        async worker({ signal, object }) {
          begun.push(clock.monotonic());
          if (begun.length < 4) throw new Error("not yet");
          running++;
          if (object.metadata.name === "ends") return;
          await clock.sleep(3_600_000, signal).catch(() => {});
          running--;
        },
      },
      reconcile() {},
    });
    const { server, manager } = await setupManager([op], { clock });
    server.put("memcacheds", memcached("a"));
    await clock.advance(20_000);
    const gaps = begun.slice(1).map((at, i) => at - begun[i]!);
    expect(begun).toHaveLength(4);
    for (const [i, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual(500 * 2 ** i);
    expect(running).toBe(1);

    server.put("memcacheds", memcached("a", { size: 1 }, { annotations: { "pintle.dev/paused": "true" } }));
    await clock.settle();
    expect(running).toBe(0);
    server.put("memcacheds", memcached("a", { size: 1 }, { annotations: null }));
    await clock.settle();
    expect(running).toBe(1);
    server.put("memcacheds", { metadata: { name: "a", namespace: "d", finalizers: null } });
    server.remove("memcacheds", "d", "a");
    await clock.settle();
    expect(running).toBe(0);
    server.put("memcacheds", memcached("b"));
    await clock.settle();
    expect(running).toBe(1);
    const stopping = manager.stop();
    await clock.settle();
    await stopping;
    expect([running, clock.pending]).toEqual([0, 0]);
  });

  test("daemons stop when the lease is lost and start again when it is acquired", async () => {
    let running = 0;
    const op = controller(Memcached, {
      daemons: {
        async worker({ signal }) {
          running++;
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          running--;
        },
      },
      reconcile() {},
    });
    const { server, clock } = await setupManager([op], {
      before: (s) => s.put("memcacheds", memcached("a")),
      leaderElection: { name: "lease", namespace: "d", identity: "one" },
    });
    await clock.advance(3_000);
    expect(running).toBe(1);
    server.intercept = (request) => (request.path.includes("leases") ? statusResponse(500, "InternalError") : undefined);
    await clock.advance(12_000);
    expect(running).toBe(0);
    server.intercept = undefined;
    await clock.advance(10_000);
    expect(running).toBe(1);
  });
});
