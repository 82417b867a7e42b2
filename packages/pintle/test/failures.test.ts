import { describe, expect, test } from "vitest";
import { type Controller, controller, terminal } from "../src/controller/index.ts";
import { ConfigMap, Pod } from "../src/kinds/generated/core/v1.ts";
import { Memcached, memcached, setup } from "./tiny/operator.ts";
import { refusal } from "./tiny/server.ts";

const metric = (text: string, name: string) => Number(new RegExp(`^${name}\\S* (\\S+)$`, "m").exec(text)?.[1]);

describe("failures", () => {
  test("c-r 7.5 a plan that fails is retried with backoff, not after its requeueAfter, and that is logged", async () => {
    const times: number[] = [];
    const op = controller(Memcached, {
      owns: [ConfigMap],
      reconcile({ want }) {
        times.push(now());
        return want({ children: { c: ConfigMap.desired({ metadata: { name: "c" } }) }, requeueAfter: "1h" });
      },
    });
    let now = () => 0;
    const { server, clock, lines } = await setup([op]);
    now = clock.monotonic;
    server.intercept = ({ method }) => (method === "PATCH" ? refusal(500, "InternalError", "no") : undefined);
    server.put("memcacheds", memcached("a"));
    await clock.advance(100);
    expect(times.slice(0, 4)).toEqual([0, 5, 15, 35]);
    expect(lines.filter((line) => line.level === "error")[0]).toMatchObject({ message: "reconcile failed, will be retried" });
  });

  test("c-r 7.5 a terminal failure is counted, told on the object, and not retried", async () => {
    let runs = 0;
    const op = controller(Memcached, {
      name: "op",
      reconcile() {
        runs++;
        throw terminal("the name is taken");
      },
    });
    const { server, clock, manager } = await setup([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    await clock.advance(3_600_000);
    expect(runs).toBe(1);
    const text = manager.metrics.text();
    expect(metric(text, "controller_runtime_terminal_reconcile_errors_total")).toBe(1);
    expect(metric(text, "controller_runtime_reconcile_errors_total")).toBe(1);
    expect(metric(text, "workqueue_retries_total")).toBe(0);
    expect(server.list("events")).toMatchObject([{ reason: "ReconcileFailed", note: "the name is taken", regarding: { name: "a" } }]);
  });

  const careless = (): Controller =>
    controller(Memcached, {
      name: "op",
      reconcile({ object }) {
        if (object.metadata.name === "bad") (object.spec as any).missing.field.toString();
      },
    });

  test("c-r 7.6 a bug in reconcile is counted as a panic and retried; with `bugs: fatal` it ends the manager", async () => {
    const before = (server: { put(plural: string, object: object): unknown }) => void server.put("memcacheds", memcached("bad"));
    const kept = await setup([careless()], { before });
    await kept.clock.advance(1_000);
    const text = kept.manager.metrics.text();
    expect(metric(text, "controller_runtime_reconcile_panics_total")).toBeGreaterThan(3);
    expect(metric(text, "workqueue_retries_total")).toBeGreaterThan(3);

    const ended = await setup([careless()], { before, bugs: "fatal" });
    await expect(ended.manager.done).rejects.toThrow(/Cannot read properties of undefined \(reading 'field'\)/);
    expect(ended.server.watches).toBe(0);
  });

  test("idea 13 one invalid object among 100: 99 are reconciled, the bad one gets an Event and a count, the watch stays up", async () => {
    const done = new Set<string>();
    const op = controller(Memcached, {
      name: "op",
      reconcile({ object, want }) {
        // An object that was stored before its schema was what it is now.
        const size = object.spec.size.toFixed(0);
        done.add(object.metadata.name);
        return want({ status: { nodes: [size] } });
      },
    });
    const { server, clock, manager } = await setup([op], {
      before(s) {
        for (let i = 0; i < 99; i++) s.put("memcacheds", memcached(`m${i}`));
        s.put("memcacheds", memcached("bad", { size: null }));
      },
    });
    await clock.advance(60_000);
    expect(done.size).toBe(99);
    expect(server.list("events")).toMatchObject([{ type: "Warning", reason: "ReconcileFailed", regarding: { name: "bad" } }]);
    expect(metric(manager.metrics.text(), "controller_runtime_reconcile_panics_total")).toBeGreaterThan(1);
    server.put("memcacheds", memcached("more"));
    await clock.settle();
    expect(done.has("more")).toBe(true);
  });

  test("idea 13 what a mapper or an index cannot take gets an Event and a count too", async () => {
    const woken: string[] = [];
    const op = controller(Memcached, {
      name: "op",
      watches: { pods: { kind: Pod, by: (pod) => [{ name: pod.metadata.labels!["for"]! }] } },
      reconcile: ({ object, reasons }) => void woken.push(`${object.metadata.name} ${reasons[0]?.kind}`),
    });
    const { server, clock, manager } = await setup([op], { before: (s) => s.put("memcacheds", memcached("a")) });
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
    const text = manager.metrics.text();
    expect(metric(text, "pintle_cache_poisoned_total")).toBeGreaterThan(0);
    expect(metric(text, "pintle_map_errors_total")).toBeGreaterThan(0);
    expect(metric(text, "pintle_unmapped_changes")).toBe(1);
    expect(server.list("events")[0]).toMatchObject({ reason: "Unreadable", regarding: { kind: "Pod", name: "bad" } });
  });

  test("better 4 Retry-After is honoured when several requests fail, and whichever status says it", async () => {
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
    const { server, clock } = await setup([op]);
    now = clock.monotonic;
    let refused = 0;
    server.intercept = ({ method, path }) => {
      if (method !== "PATCH" || refused++ >= 2) return undefined;
      return path.endsWith("/a") ? refusal(500, "InternalError") : refusal(503, "ServiceUnavailable", "", { retryAfterSeconds: 7 });
    };
    server.put("memcacheds", memcached("a"));
    await clock.advance(10_000);
    expect(times[1]! - times[0]!).toBe(7_000);
    expect(server.list("configmaps")).toHaveLength(2);
  });

  test("c-r 7.8 requeueAfter keeps the priority of its run unless the answer gives another", async () => {
    const order: string[] = [];
    const op = controller(Memcached, {
      concurrency: 1,
      reconcile({ object, want, reasons }) {
        order.push(`${object.metadata.name} ${reasons[0]?.event}`);
        const priority = object.metadata.name === "urgent" ? 5 : undefined;
        return reasons[0]?.event === "listed" ? want({ requeueAfter: "1m", priority }) : undefined;
      },
    });
    const { server, clock } = await setup([op], {
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
