import { describe, expect, test } from "vitest";
import { allow, createClient } from "../src/client/index.ts";
import { controller, predicates, terminal } from "../src/controller/index.ts";
import { ConfigMap, Pod, Secret, Service } from "../src/kinds/generated/core/v1.ts";
import { createLogger, startManager } from "../src/manager/index.ts";
import { simulate } from "../src/testing/index.ts";
import { statusResponse } from "./fakes/api-server.ts";
import { Memcached, memcached, operator, setupManager } from "./fakes/operator.ts";

describe("a controller", () => {
  test("RT-56 applies the desired state and then sends no request, also after a restart", async () => {
    const { server, clock, writes, restart, manager } = await setupManager([operator]);
    server.put("memcacheds", memcached("a"));
    await clock.settle();
    expect(writes()).toEqual([
      "PATCH /apis/apps/v1/namespaces/d/deployments/a",
      "PATCH /apis/cache.example.com/v1alpha1/namespaces/d/memcacheds/a/status",
    ]);
    const deployment = server.get("deployments", "d", "a")!;
    expect(deployment["spec"].replicas).toBe(3);
    expect(deployment["metadata"].ownerReferences).toEqual([
      {
        apiVersion: "cache.example.com/v1alpha1",
        kind: "Memcached",
        name: "a",
        uid: server.get("memcacheds", "d", "a")!["metadata"].uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    const status = server.get("memcacheds", "d", "a")!["status"];
    expect(status).toMatchObject({
      nodes: [],
      observedGeneration: 1,
      conditions: [{ type: "Available", status: "False", reason: "Replicas", observedGeneration: 1 }],
    });

    for (let i = 0; i < 100; i++) {
      server.put("memcacheds", memcached("a", { size: 3 }, { labels: { poke: String(i) } }));
      await clock.settle();
    }
    expect(writes()).toHaveLength(2);
    const stopping = manager.stop();
    await clock.advance(1);
    await stopping;
    restart();
    await clock.advance(1_000);
    expect(writes()).toHaveLength(2);
  });

  test("reverts a change of its own field with one request, and keeps fields and conditions of other writers", async () => {
    const { server, clock, writes } = await setupManager([operator], { before: (s) => s.put("memcacheds", memcached("a")) });
    const before = writes().length;
    server.put("deployments", { metadata: { name: "a", namespace: "d", labels: { theirs: "yes" } } });
    await clock.settle();
    expect(writes()).toHaveLength(before);
    server.put("deployments", { metadata: { name: "a", namespace: "d" }, spec: { replicas: 7 } });
    await clock.settle();
    expect(writes()).toHaveLength(before + 1);
    expect(server.get("deployments", "d", "a")).toMatchObject({ spec: { replicas: 3 }, metadata: { labels: { theirs: "yes" } } });
    const conditions = server.get("memcacheds", "d", "a")!["status"].conditions;
    const foreign = { type: "Foreign", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
    server.put("memcacheds", { metadata: { name: "a", namespace: "d" }, status: { conditions: [...conditions, foreign] } });
    server.put("deployments", { metadata: { name: "a", namespace: "d" }, status: { readyReplicas: 3 } });
    await clock.advance(5_000);
    const after = server.get("memcacheds", "d", "a")!["status"].conditions;
    expect(after.map((c: any) => `${c.type} ${c.status}`).sort()).toEqual(["Available True", "Foreign True"]);
    const time = after.find((c: any) => c.type === "Available").lastTransitionTime;
    server.put("memcacheds", memcached("a", { size: 3 }, { annotations: { x: "y" } }));
    server.put("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "d", labels: { "cache.example.com/memcached": "a" } },
      spec: {},
    });
    await clock.advance(5_000);
    const settled = server.get("memcacheds", "d", "a")!["status"];
    expect(settled.nodes).toEqual(["p"]);
    expect(settled.conditions.find((c: any) => c.type === "Available").lastTransitionTime).toBe(time);
  });

  test("writes the status after the children, and also when applying them fails", async () => {
    const op = controller(Memcached, {
      owns: [ConfigMap],
      reconcile({ object: { metadata, spec }, owned, want }) {
        const seen = owned(ConfigMap).get(metadata.name)?.data?.["size"] ?? "none";
        return want({
          children: { map: ConfigMap.desired({ metadata: { name: metadata.name }, data: { size: String(spec.size) } }) },
          status: { nodes: [seen] },
        });
      },
    });
    const { server, clock } = await setupManager([op]);
    const statuses: string[] = [];
    let refuses = false;
    server.intercept = ({ method, path, body }) => {
      const { status } = (method === "PATCH" ? body : {}) as any;
      if (status !== undefined) statuses.push(`${status.observedGeneration}: ${status.nodes}`);
      return refuses && path.includes("configmaps") && method === "PATCH" ? statusResponse(403, "Forbidden") : undefined;
    };
    server.put("memcacheds", memcached("a", { size: 1 }));
    await clock.settle();
    server.put("memcacheds", memcached("a", { size: 2 }));
    await clock.settle();
    expect(statuses).toEqual(["1: 1", "2: 2"]);
    refuses = true;
    server.put("memcacheds", memcached("a", { size: 3 }));
    await clock.settle();
    // The generation that failed is not reported as observed.
    expect(statuses).toEqual(["1: 1", "2: 2", "2: 2"]);
  });

  test("RT-20 a changed label enqueues the old and the new owner", async () => {
    const { server, clock } = await setupManager([operator], {
      before(s) {
        s.put("memcacheds", memcached("a"));
        s.put("memcacheds", memcached("b"));
      },
    });
    const pod = (owner: string) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "d", labels: { "cache.example.com/memcached": owner } },
      spec: {},
    });
    const nodes = (name: string) => server.get("memcacheds", "d", name)!["status"].nodes;
    server.put("pods", pod("a"));
    await clock.settle();
    expect([nodes("a"), nodes("b")]).toEqual([["p"], []]);
    server.put("pods", pod("b"));
    await clock.settle();
    expect([nodes("a"), nodes("b")]).toEqual([[], ["p"]]);
    server.remove("pods", "d", "p");
    await clock.settle();
    expect([nodes("a"), nodes("b")]).toEqual([[], []]);
  });

  test("RT-56 prunes a child that is no longer returned; without `children` nothing is touched", async () => {
    const op = controller(Memcached, {
      owns: [ConfigMap, Service],
      reconcile({ object, want }) {
        if (object.spec.size === 9) return want({ status: { nodes: [] } });
        const names = Array.from({ length: object.spec.size }, (_, i) => `${object.metadata.name}-${i}`);
        return want({
          children: {
            maps: names.map((name) => ConfigMap.desired({ metadata: { name }, data: { a: "b" } })),
            service: object.spec.size > 2 && Service.desired({ metadata: { name: object.metadata.name }, spec: {} }),
          },
        });
      },
    });
    const { server, clock, writes } = await setupManager([op]);
    server.put("memcacheds", memcached("a", { size: 3 }));
    // An object of another writer: same owner, but no last-applied record.
    await clock.settle();
    const uid = server.get("memcacheds", "d", "a")!["metadata"].uid;
    server.put("configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "theirs",
        namespace: "d",
        ownerReferences: [{ apiVersion: "cache.example.com/v1alpha1", kind: "Memcached", name: "a", uid, controller: true }],
      },
    });
    await clock.settle();
    const names = () =>
      server
        .list("configmaps")
        .map((o) => o["metadata"].name)
        .sort();
    expect(names()).toEqual(["a-0", "a-1", "a-2", "theirs"]);
    expect(server.list("services")).toHaveLength(1);
    server.put("memcacheds", memcached("a", { size: 1 }));
    await clock.settle();
    expect(names()).toEqual(["a-0", "theirs"]);
    expect(server.list("services")).toHaveLength(0);
    expect(writes().filter((line) => line.startsWith("DELETE"))).toHaveLength(3);
    server.put("memcacheds", memcached("a", { size: 9 }));
    await clock.settle();
    expect(names()).toEqual(["a-0", "theirs"]);
  });

  test("`formerly` prunes children of kinds that an earlier version owned, also if the kind is no longer served", async () => {
    const first = controller(Memcached, {
      name: "op",
      owns: [ConfigMap],
      reconcile: ({ want }) => want({ children: { c: ConfigMap.desired({ metadata: { name: "c" } }) } }),
    });
    const second = controller(Memcached, {
      name: "op",
      owns: [Service],
      formerly: [ConfigMap, Pod],
      reconcile: ({ want }) => want({ children: {} }),
    });
    const { server, clock, manager } = await setupManager([first], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(server.list("configmaps")).toHaveLength(1);
    const stopping = manager.stop();
    await clock.advance(1);
    await stopping;
    const client = createClient(server.transport, { clock: clock, onWarning: () => {} });
    const next = startManager({ controllers: [second], client, clock, logger: createLogger({ clock, write: () => {} }) });
    await clock.settle();
    expect(server.list("configmaps")).toHaveLength(0);
    const ending = next.stop();
    await clock.settle();
    await ending;
  });

  test("removes a field that is no longer desired", async () => {
    const op = controller(Memcached, {
      owns: [ConfigMap],
      reconcile: ({ object, want }) =>
        want({
          children: {
            c: ConfigMap.desired({
              metadata: { name: "c", labels: object.spec.size > 1 ? { big: "yes" } : undefined },
              data: { size: String(object.spec.size) },
            }),
          },
        }),
    });
    const { server, clock } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a", { size: 2 })) });
    expect(server.get("configmaps", "d", "c")!["metadata"].labels).toEqual({ big: "yes" });
    server.put("memcacheds", memcached("a", { size: 1 }));
    await clock.settle();
    expect(server.get("configmaps", "d", "c")!["metadata"].labels).toBeUndefined();
    expect(server.get("configmaps", "d", "c")!["data"]).toEqual({ size: "1" });
  });

  test("the last-applied record of a Secret does not depend on its values, and a change of them is still detected", async () => {
    const op = controller(Memcached, {
      owns: [Secret],
      reconcile: ({ object, want }) =>
        want({
          children: { s: Secret.desired({ metadata: { name: "s" }, data: { password: object.spec.size === 1 ? "b25l" : "dHdv" } }) },
        }),
    });
    const { server, clock, writes } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a", { size: 1 })) });
    const lastAppliedRecord = () => server.get("secrets", "d", "s")!["metadata"].annotations["pintle.dev/applied"];
    const first = lastAppliedRecord();
    server.put("memcacheds", memcached("a", { size: 2 }));
    await clock.settle();
    expect(server.get("secrets", "d", "s")!["data"]).toEqual({ password: "dHdv" });
    expect(lastAppliedRecord()).toBe(first);
    const before = writes().length;
    server.put("secrets", { metadata: { name: "s", namespace: "d" }, data: { password: "dGhyZWU=" } });
    await clock.settle();
    expect(server.get("secrets", "d", "s")!["data"]).toEqual({ password: "dHdv" });
    expect(writes().length).toBe(before + 1);
  });

  test("a field that the server stores differently costs one more request once, also after a restart", async () => {
    const op = controller(Memcached, {
      owns: [ConfigMap],
      reconcile: ({ want }) => want({ children: { c: ConfigMap.desired({ metadata: { name: "c" }, data: { a: "x" } }) } }),
    });
    const { server, clock, writes, restart, manager } = await setupManager([op]);
    // Like an admission webhook.
    const put = server.transport.request;
    (server.transport as any).request = (request: any) =>
      put(
        request.method === "PATCH" && request.path.endsWith("/configmaps/c")
          ? { ...request, body: { ...request.body, data: { a: "mutated" } } }
          : request,
      );
    server.put("memcacheds", memcached("a"));
    await clock.settle();
    expect(writes()).toHaveLength(2);
    server.put("memcacheds", memcached("a", { size: 4 }));
    await clock.settle();
    expect(writes()).toHaveLength(2);
    const stopping = manager.stop();
    await clock.advance(1);
    await stopping;
    restart();
    await clock.advance(1_000);
    expect(writes()).toHaveLength(2);
    server.put("configmaps", { metadata: { name: "c", namespace: "d" }, data: { a: "foreign" } });
    await clock.settle();
    expect(server.get("configmaps", "d", "c")!["data"]).toEqual({ a: "mutated" });
    expect(writes()).toHaveLength(3);
  });
});

test("falsy children count as none, alone and in a list, and are pruned when they become so", async () => {
  const named = (name: string) => ConfigMap.desired({ metadata: { name } });
  const op = controller(Memcached, {
    owns: [ConfigMap],
    reconcile: ({ object: { spec }, want }) =>
      want({ children: { one: spec.size > 1 && named("one"), more: [named("a"), spec.size > 2 && named("b"), undefined] } }),
  });
  const simulation = await simulate(op, [Memcached.desired({ metadata: { name: "a" }, spec: { size: 3 } })]);
  const names = () => simulation.list(ConfigMap).map(({ metadata }) => metadata.name);
  expect(names()).toEqual(["one", "a", "b"]);
  await simulation.put(Memcached.desired({ metadata: { name: "a" }, spec: { size: 1 } }));
  expect(names()).toEqual(["a"]);
});

describe("object lifecycle", () => {
  test("RT-63 adds the finalizer before the first reconcile and removes it after finalize has succeeded", async () => {
    const calls: string[] = [];
    let answer: { requeueAfter: "10s" } | undefined = { requeueAfter: "10s" };
    const op = controller(Memcached, {
      name: "op",
      reconcile: ({ object }) => void calls.push(`reconcile ${object.metadata.finalizers}`),
      finalize({ object }) {
        calls.push(`finalize ${object.metadata.name}`);
        return answer;
      },
    });
    const plain = controller(Memcached, { name: "plain", reconcile() {} });
    const { server, clock } = await setupManager([op, plain], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(calls).toEqual(["reconcile pintle.dev/op"]);
    server.remove("memcacheds", "d", "a");
    await clock.settle();
    expect(calls.slice(1)).toEqual(["finalize a"]);
    expect(server.get("memcacheds", "d", "a")).toBeDefined();
    answer = undefined;
    await clock.advance(10_000);
    expect(calls.slice(2)).toEqual(["finalize a"]);
    expect(server.get("memcacheds", "d", "a")).toBeUndefined();
    await clock.advance(60_000);
    expect(calls).toHaveLength(3);
  });

  test("RT-3, RT-5, RT-6 retries with backoff when reconcile throws, waits for an event after terminal(), and honours requeueAfter", async () => {
    const clockTimes: number[] = [];
    let mode: "throw" | "terminal" | "again" = "throw";
    const op = controller(Memcached, {
      reconcile({ want }) {
        clockTimes.push(Math.round(now()));
        if (mode === "throw") throw new Error("no");
        if (mode === "terminal") throw terminal("never");
        return want({ requeueAfter: "5m" });
      },
    });
    let now = () => 0;
    const { server, clock } = await setupManager([op]);
    now = clock.monotonic;
    server.put("memcacheds", memcached("a"));
    await clock.advance(160);
    expect(clockTimes.slice(0, 6)).toEqual([0, 5, 15, 35, 75, 155]);
    mode = "terminal";
    await clock.advance(10_000);
    const runs = clockTimes.length;
    await clock.advance(10_000_000);
    expect(clockTimes).toHaveLength(runs);
    mode = "again";
    server.put("memcacheds", memcached("a", { size: 2 }));
    await clock.advance(5 * 60_000 * 3);
    // The first success removes the reported failure: a write, hence another pass.
    expect(clockTimes.slice(runs).map((at, _, all) => at - all[0]!)).toEqual([0, 0, 300_000, 600_000, 900_000]);
  });

  test("reconcile and finalize receive the time of the injected clock", async () => {
    const times: number[] = [];
    const op = controller(Memcached, {
      reconcile({ now, clock: injected, want }) {
        times.push(now.getTime(), injected.now());
        return want({ requeueAfter: "1h" });
      },
      finalize: ({ now }) => void times.push(now.getTime()),
    });
    const { server, clock } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    const start = clock.now();
    await clock.advance(3_600_000);
    server.remove("memcacheds", "d", "a");
    await clock.settle();
    expect(times).toEqual([start, start, start + 3_600_000, start + 3_600_000, start + 3_600_000]);
  });

  test("RT-71 5,000 requeues use one timer of the clock, and none is left after the objects are deleted", async () => {
    const op = controller(Memcached, { reconcile: ({ want }) => want({ requeueAfter: "1h" }) });
    const { server, clock } = await setupManager([op], {
      before(s) {
        for (let i = 0; i < 5_000; i++) s.put("memcacheds", memcached(`m${i}`));
      },
    });
    const timers = clock.pending;
    expect(timers).toBeLessThan(10);
    for (let i = 0; i < 5_000; i++) server.remove("memcacheds", "d", `m${i}`);
    await clock.settle();
    expect(clock.pending).toBe(timers - 1);
    expect(clock.next).toBeLessThan(3_600_000 / 2);
  });

  test("RT-37 honours the Retry-After of the server", async () => {
    const times: number[] = [];
    const op = controller(Memcached, {
      owns: [ConfigMap],
      reconcile: ({ want }) => {
        times.push(now());
        return want({ children: { c: ConfigMap.desired({ metadata: { name: "c" } }) } });
      },
    });
    let now = () => 0;
    const { server, clock } = await setupManager([op]);
    now = clock.monotonic;
    let refused = 0;
    server.intercept = (request) =>
      request.method === "PATCH" && refused++ === 0 ? statusResponse(429, "TooManyRequests", "busy", { retryAfterSeconds: 12 }) : undefined;
    server.put("memcacheds", memcached("a"));
    await clock.advance(11_999);
    expect(times).toHaveLength(1);
    await clock.advance(1);
    expect(server.list("configmaps")).toHaveLength(1);
  });

  test("RT-7 a timeout aborts the signal and is counted, and the object is not reconciled concurrently", async () => {
    let running = 0;
    let most = 0;
    const aborted: unknown[] = [];
    const op = controller(Memcached, {
      timeout: "10s",
      async reconcile({ signal }) {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        aborted.push((signal.reason as Error).message);
        running--;
      },
    });
    const { clock, lines, manager } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    const timeouts = () => /timeouts_total\{controller="memcached"\} (\d+)/.exec(manager.metrics.render())?.[1];
    expect(timeouts()).toBe("0");
    await clock.advance(25_000);
    expect(timeouts()).toBe("2");
    const message = "not finished after 10 s (no client call yet)";
    expect(aborted.slice(0, 2)).toEqual([message, message]);
    expect(most).toBe(1);
    expect(lines.find((line) => line.level === "error").error).toBe(message);
  });

  test("a call that never settles is warned about with the last client call, abandoned after its timeout and retried", async () => {
    const signals: AbortSignal[] = [];
    const op = controller(Memcached, {
      needs: [allow(Secret, "get")],
      async reconcile({ client, signal }) {
        signals.push(signal);
        await client.find(Secret, { name: "s", namespace: "d" });
        await new Promise(() => {});
      },
    });
    const { clock, lines, manager, server } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    const warnings = () => lines.filter((line) => line.message === "Still running reconcile");
    await clock.advance(300_000);
    const site = expect.stringMatching(/^last client call: find Secret d\/s at \S*controller\.test\.ts:\d+:\d+, ended \d+ s ago$/);
    expect(warnings().map(({ duration }) => duration)).toEqual(["60s", "120s", "240s"]);
    expect(warnings()[0]).toMatchObject({ level: "warn", object: "d/a", timeout: "600s", progress: site });
    await clock.advance(301_000);
    expect([signals.length, signals[0]!.aborted]).toEqual([1, true]);
    await clock.advance(11_000);
    expect(signals).toHaveLength(2);
    expect(lines.find((line) => line.level === "error").error).toMatch(
      /^not finished after 600 s \(last client call: .*\), nor 10 s after its signal was aborted: abandoned$/,
    );
    expect(server.list("events")).toMatchObject([{ reason: "ReconcileTimeout", type: "Warning" }]);
    const stopping = manager.stop();
    await clock.advance(30_000);
    await stopping;
    expect(clock.pending).toBe(0);
  });

  test("a call without a limit is warned about and not aborted", async () => {
    const signals: AbortSignal[] = [];
    const op = controller(Memcached, {
      timeout: false,
      async reconcile({ signal }) {
        signals.push(signal);
        await new Promise(() => {});
      },
    });
    const { clock, lines } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    await clock.advance(2_000_000);
    expect(lines.filter((line) => line.message === "Still running reconcile").map(({ duration }) => duration)).toEqual([
      "60s",
      "120s",
      "240s",
      "480s",
      "960s",
      "1920s",
    ]);
    expect([signals.length, signals[0]!.aborted]).toEqual([1, false]);
  });

  test("skips an object with the pause annotation until it is removed", async () => {
    const { server, clock, writes } = await setupManager([operator]);
    server.put("memcacheds", memcached("a", { size: 1 }, { annotations: { "pintle.dev/paused": "true" } }));
    await clock.settle();
    expect(writes()).toEqual([]);
    server.put("memcacheds", memcached("a", { size: 1 }, { annotations: null }));
    await clock.settle();
    expect(writes()).toHaveLength(2);
  });

  test("backs off and reports the differing fields when a controller does not settle", async () => {
    let n = 0;
    const op = controller(Memcached, {
      owns: [ConfigMap],
      reconcile: ({ want }) => want({ children: { c: ConfigMap.desired({ metadata: { name: "c" }, data: { now: String(n++) } }) } }),
    });
    const { lines, writes, clock } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(lines.find((line) => line.level === "error").error).toMatch(
      /Memcached d\/a does not settle after 10 passes: ConfigMap d\/c differs from pass to pass at .data.now/,
    );
    const before = writes().length;
    await clock.advance(60_000);
    expect(writes().length - before).toBeLessThan(200);
  });
});

describe("event sources", () => {
  test("an object referenced by name enqueues the primary object", async () => {
    const seen: string[] = [];
    const op = controller(Memcached, {
      watches: { secrets: { kind: Secret, by: { name: (mc) => mc.spec.secretName } } },
      reconcile: ({ object, related, reasons }) =>
        void seen.push(
          `${object.metadata.name}: ${related.secrets.map((s) => s.data?.["k"])} (${reasons.map((r) => `${r.kind} ${r.event}`)})`,
        ),
    });
    const { server, clock } = await setupManager([op], {
      before(s) {
        s.put("memcacheds", memcached("a", { size: 1, secretName: "s" }));
        s.put("memcacheds", memcached("b", { size: 1 }));
      },
    });
    seen.length = 0;
    server.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "d" }, data: { k: "v" } });
    server.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "other" }, data: { k: "v" } });
    await clock.settle();
    expect(seen).toEqual(["a: v (Secret added)"]);
    server.remove("secrets", "d", "s");
    await clock.settle();
    expect(seen.slice(1)).toEqual(["a:  (Secret deleted)"]);
  });

  test("RT-40 retries the mapping of an event when the map function throws", async () => {
    let broken = true;
    const woken: string[] = [];
    const op = controller(Memcached, {
      watches: {
        pods: {
          kind: Pod,
          by: (pod) => {
            if (broken) throw new Error("not now");
            return [{ name: pod.metadata.labels?.["for"] ?? "" }];
          },
        },
      },
      reconcile: ({ object }) => void woken.push(object.metadata.name),
    });
    const { server, clock } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    woken.length = 0;
    server.put("pods", { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "d", labels: { for: "a" } }, spec: {} });
    await clock.advance(1_000);
    expect(woken).toEqual([]);
    broken = false;
    await clock.advance(5_000);
    expect(woken).toEqual(["a"]);
  });

  test("predicates receive old and new objects, external sources enqueue by name, and resync has low priority", async () => {
    const seen: string[] = [];
    let emit = (_: string) => {};
    const op = controller(Memcached, {
      when: predicates.generationChanged,
      resync: "1h",
      sources: {
        async *mail() {
          while (true) yield { name: await new Promise<string>((resolve) => (emit = resolve)), namespace: "d" };
        },
      },
      reconcile: ({ object, reasons }) => void seen.push(`${object.metadata.name} ${reasons.map((r) => r.event)}`),
    });
    const { server, clock } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(seen.splice(0)).toEqual(["a listed"]);
    server.put("memcacheds", memcached("a", { size: 3 }, { labels: { x: "y" } }));
    await clock.settle();
    expect(seen).toEqual([]);
    server.put("memcacheds", memcached("a", { size: 4 }));
    await clock.settle();
    expect(seen.splice(0)).toEqual(["a modified"]);
    emit("a");
    await clock.settle();
    expect(seen.splice(0)).toEqual(["a external"]);
    await clock.advance(3_600_000);
    expect(seen.splice(0)).toEqual(["a resync"]);
  });
});

test("imperative mode: a write whose watch event precedes its response is followed by another pass", async () => {
  const seen: number[] = [];
  const op = controller(Memcached, {
    owns: [ConfigMap],
    needs: [allow(ConfigMap, "create")],
    async reconcile({ object, owned, client }) {
      const have = owned(ConfigMap).list().length;
      seen.push(have);
      if (have >= object.spec.size) return;
      const { name, namespace, uid } = object.metadata;
      const ownerReferences = [{ apiVersion: object.apiVersion, kind: object.kind, name, uid, controller: true }];
      await client.create(ConfigMap, { metadata: { name: `${name}-${have}`, namespace, ownerReferences } });
    },
  });
  const { server, clock } = await setupManager([op]);
  const request = server.transport.request;
  (server.transport as { request: typeof request }).request = async (sent) => {
    const answer = await request(sent);
    if (sent.method === "POST") for (let turn = 0; turn < 3; turn++) await new Promise((next) => setImmediate(next));
    return answer;
  };
  server.put("memcacheds", memcached("a", { size: 4 }));
  await clock.advance(1);
  await clock.advance(1);
  expect(seen).toEqual([0, 1, 2, 3, 4]);
});

test("imperative mode: reads own writes, and repeats reconcile until nothing is written", async () => {
  const seen: string[] = [];
  const op = controller(Memcached, {
    name: "imperative",
    owns: [ConfigMap],
    needs: [allow(ConfigMap, "create")],
    async reconcile({ object, owned, client }) {
      const have = owned(ConfigMap).list().length;
      seen.push(`${have}`);
      if (have >= object.spec.size) return;
      const { name, namespace, uid } = object.metadata;
      const ownerReferences = [{ apiVersion: object.apiVersion, kind: object.kind, name, uid, controller: true }];
      await client.create(ConfigMap, { metadata: { name: `${name}-${have}`, namespace, ownerReferences } });
    },
  });
  const { server, clock, lines } = await setupManager([op]);
  server.holdEvents(true);
  server.put("memcacheds", memcached("a", { size: 4 }));
  server.holdEvents(false);
  server.holdEvents(true);
  await clock.settle();
  expect(seen).toEqual(["0", "1", "2", "3", "4"]);
  expect(server.list("configmaps")).toHaveLength(4);
  server.holdEvents(false);
  await clock.advance(1_000);
  expect(seen).toEqual(["0", "1", "2", "3", "4"]);
  expect(lines.filter((line) => line.level === "error")).toEqual([]);
});
