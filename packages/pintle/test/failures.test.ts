import { describe, expect, test } from "vitest";
import { type Controller, controller, terminal } from "../src/controller/index.ts";
import { ConfigMap, Pod } from "../src/kinds/generated/core/v1.ts";
import { statusResponse } from "./fakes/api-server.ts";
import { Memcached, memcached, setupManager } from "./fakes/operator.ts";

const metric = (text: string, name: string) => Number(new RegExp(`^${name}\\S* (\\S+)$`, "m").exec(text)?.[1]);

describe("failures", () => {
  test("RT-5 retries a failed plan with backoff instead of its requeueAfter, and logs it", async () => {
    const times: number[] = [];
    const op = controller(Memcached, {
      owns: [ConfigMap],
      reconcile({ want }) {
        times.push(now());
        return want({ children: { c: ConfigMap.desired({ metadata: { name: "c" } }) }, requeueAfter: "1h" });
      },
    });
    let now = () => 0;
    const { server, clock, lines } = await setupManager([op]);
    now = clock.monotonic;
    server.intercept = ({ method }) => (method === "PATCH" ? statusResponse(500, "InternalError", "no") : undefined);
    server.put("memcacheds", memcached("a"));
    await clock.advance(100);
    expect(times.slice(0, 4)).toEqual([0, 5, 15, 35]);
    expect(lines.filter((line) => line.level === "error")[0]).toMatchObject({ message: "Reconciler error" });
  });

  test("RT-5 a terminal error is counted, recorded as an Event, and not retried", async () => {
    let runs = 0;
    const op = controller(Memcached, {
      name: "op",
      reconcile() {
        runs++;
        throw terminal("the name is taken");
      },
    });
    const { server, clock, manager } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    await clock.advance(3_600_000);
    expect(runs).toBe(1);
    const text = manager.metrics.render();
    expect(metric(text, "controller_runtime_terminal_reconcile_errors_total")).toBe(1);
    expect(metric(text, "controller_runtime_reconcile_errors_total")).toBe(1);
    expect(metric(text, "workqueue_retries_total")).toBe(0);
    expect(server.list("events")).toMatchObject([
      { reason: "ReconcileFailed", note: "op: reconcile failed: the name is taken", regarding: { name: "a" } },
    ]);
  });

  const createFailingController = (): Controller =>
    controller(Memcached, {
      name: "op",
      reconcile({ object }) {
        if (object.metadata.name === "bad") (object.spec as any).missing.field.toString();
      },
    });

  test("RT-6 a programming error is counted as a panic and retried; with `bugs: fatal` it stops the manager", async () => {
    const before = (server: { put(plural: string, object: object): unknown }) => void server.put("memcacheds", memcached("bad"));
    const kept = await setupManager([createFailingController()], { before });
    await kept.clock.advance(1_000);
    const text = kept.manager.metrics.render();
    expect(metric(text, "controller_runtime_reconcile_panics_total")).toBeGreaterThan(3);
    expect(metric(text, "workqueue_retries_total")).toBeGreaterThan(3);

    const ended = await setupManager([createFailingController()], { before, bugs: "fatal" });
    await expect(ended.manager.done).rejects.toThrow(/Cannot read properties of undefined \(reading 'field'\)/);
    expect(ended.server.watches).toBe(0);
  });

  test("RT-66 one invalid object among 100 gets an Event and is counted; the other 99 are reconciled and the watch continues", async () => {
    const done = new Set<string>();
    const op = controller(Memcached, {
      name: "op",
      reconcile({ object, want }) {
        // An object that was stored under an older schema.
        const size = object.spec.size.toFixed(0);
        done.add(object.metadata.name);
        return want({ status: { nodes: [size] } });
      },
    });
    const { server, clock, manager } = await setupManager([op], {
      before(s) {
        for (let i = 0; i < 99; i++) s.put("memcacheds", memcached(`m${i}`));
        s.put("memcacheds", memcached("bad", { size: null }));
      },
    });
    await clock.advance(60_000);
    expect(done.size).toBe(99);
    expect(server.list("events")).toMatchObject([{ type: "Warning", reason: "ReconcileFailed", regarding: { name: "bad" } }]);
    expect(metric(manager.metrics.render(), "controller_runtime_reconcile_panics_total")).toBeGreaterThan(1);
    server.put("memcacheds", memcached("more"));
    await clock.settle();
    expect(done.has("more")).toBe(true);
  });

  test("RT-66 an object for which a map function or an index throws gets an Event and is counted", async () => {
    const woken: string[] = [];
    const op = controller(Memcached, {
      name: "op",
      watches: { pods: { kind: Pod, by: (pod) => [{ name: pod.metadata.labels!["for"]! }] } },
      reconcile: ({ object, reasons }) => void woken.push(`${object.metadata.name} ${reasons[0]?.kind}`),
    });
    const { server, clock, manager } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    const pod = (name: string, labels: object | undefined) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "d", ...(labels ? { labels } : {}) },
      spec: {},
    });
    woken.length = 0;
    server.put("pods", pod("bad", undefined));
    server.put("pods", pod("good", { for: "a" }));
    await clock.advance(1_000);
    expect(woken).toEqual(["a Pod"]);
    const text = manager.metrics.render();
    expect(metric(text, "pintle_cache_poisoned_total")).toBeGreaterThan(0);
    expect(metric(text, "pintle_map_errors_total")).toBeGreaterThan(0);
    expect(metric(text, "pintle_unmapped_changes")).toBe(1);
    expect(server.list("events")[0]).toMatchObject({ reason: "Unreadable", regarding: { kind: "Pod", name: "bad" } });
  });

  test("RT-37 honours the longest Retry-After of several failed requests, with any status code", async () => {
    const times: number[] = [];
    const op = controller(Memcached, {
      owns: [ConfigMap],
      reconcile({ want }) {
        times.push(now());
        const map = (name: string) => ConfigMap.desired({ metadata: { name } });
        return want({ children: { a: map("a"), b: map("b") } });
      },
    });
    let now = () => 0;
    const { server, clock } = await setupManager([op]);
    now = clock.monotonic;
    let refused = 0;
    server.intercept = ({ method, path }) => {
      if (method !== "PATCH" || refused++ >= 2) return undefined;
      return path.endsWith("/a")
        ? statusResponse(500, "InternalError")
        : statusResponse(503, "ServiceUnavailable", "", { retryAfterSeconds: 7 });
    };
    server.put("memcacheds", memcached("a"));
    await clock.advance(10_000);
    expect(times[1]! - times[0]!).toBe(7_000);
    expect(server.list("configmaps")).toHaveLength(2);
  });

  test("RT-8 a requeue keeps the priority of its reconciliation unless another is returned", async () => {
    const order: string[] = [];
    const op = controller(Memcached, {
      concurrency: 1,
      reconcile({ object, want, reasons }) {
        order.push(`${object.metadata.name} ${reasons[0]?.event}`);
        const priority = object.metadata.name === "urgent" ? 5 : undefined;
        return reasons[0]?.event === "listed" ? want({ requeueAfter: "1m", priority }) : undefined;
      },
    });
    const { server, clock } = await setupManager([op], {
      before(s) {
        for (const name of ["plain", "urgent"]) s.put("memcacheds", memcached(name));
      },
    });
    order.length = 0;
    await clock.advance(59_999);
    server.put("memcacheds", memcached("live"));
    await clock.advance(1);
    expect(order).toEqual(["live added", "urgent requeue", "plain requeue"]);
  });
});
