import { describe, expect, test } from "vitest";
import { controller } from "../src/controller/index.ts";
import { virtualClock } from "../src/queue/index.ts";
import { Memcached, memcached, setup } from "./tiny/operator.ts";
import { refusal } from "./tiny/server.ts";

describe("daemons", () => {
  test("idea 18 a daemon lives as long as its object: deletion aborts it, waits for it, and then lets the object go", async () => {
    const seen: string[] = [];
    const clock = virtualClock();
    const op = controller(Memcached, {
      name: "op",
      daemons: {
        async poll({ object, signal, wake, log, event }) {
          const { name } = object.metadata;
          seen.push(`begin ${name}`);
          signal.addEventListener("abort", () => seen.push(`told ${name}`));
          await clock.sleep(60_000, signal).catch(() => {});
          if (!signal.aborted) wake();
          log.info("polled");
          event("Polled", "all is well");
          await clock.sleep(3_000_000, signal).catch(() => {});
          await clock.sleep(2_000);
          seen.push(`end ${name}`);
        },
      },
      reconcile: ({ object, reasons }) => void seen.push(`reconcile ${object.metadata.name} ${reasons[0]?.source}`),
    });
    const { server, lines } = await setup([op], { clock, before: (s) => s.put("memcacheds", memcached("a")) });
    expect(seen).toEqual(["begin a", "reconcile a object"]);
    expect(server.get("memcacheds", "d", "a")!["metadata"].finalizers).toEqual(["pintle.dev/op"]);
    await clock.advance(60_000);
    expect(seen.splice(0)).toEqual(["begin a", "reconcile a object", "reconcile a poll"]);
    expect(lines.find((line) => line.message === "polled")).toMatchObject({ controller: "op", object: "d/a", daemon: "poll" });

    expect(server.list("events")).toMatchObject([{ reason: "Polled", note: "all is well", regarding: { name: "a" } }]);
    server.remove("memcacheds", "d", "a");
    await clock.advance(1_999);
    expect(seen).toEqual(["told a"]);
    expect(server.get("memcacheds", "d", "a")).toBeDefined();
    await clock.advance(1);
    expect(seen).toEqual(["told a", "end a"]);
    expect(server.get("memcacheds", "d", "a")).toBeUndefined();
  });

  test("idea 18 one that does not end is waited for no longer than the grace", async () => {
    const op = controller(Memcached, { daemons: { deaf: () => new Promise(() => {}) }, daemonGrace: "5s", reconcile() {} });
    const { server, clock, lines } = await setup([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    server.remove("memcacheds", "d", "a");
    await clock.advance(4_999);
    expect(server.get("memcacheds", "d", "a")).toBeDefined();
    await clock.advance(1);
    expect(server.get("memcacheds", "d", "a")).toBeUndefined();
    expect(lines.find((line) => line.level === "warn").message).toMatch(/daemons have not ended in time/);
  });

  test("one that throws is started again with backoff; a pause, a lost finalizer and the end of the manager end it too", async () => {
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
    const { server, manager } = await setup([op], { clock });
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

  test("daemons end with the lease, and are there again when it is", async () => {
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
    const { server, clock } = await setup([op], {
      before: (s) => s.put("memcacheds", memcached("a")),
      leaderElection: { name: "lease", namespace: "d", identity: "one" },
    });
    await clock.advance(3_000);
    expect(running).toBe(1);
    server.intercept = (request) => (request.path.includes("leases") ? refusal(500, "InternalError") : undefined);
    await clock.advance(12_000);
    expect(running).toBe(0);
    server.intercept = undefined;
    await clock.advance(10_000);
    expect(running).toBe(1);
  });
});
