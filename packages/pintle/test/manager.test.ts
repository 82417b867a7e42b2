import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { createClient } from "../src/client/index.ts";
import { seededRandom, type VirtualClock, virtualClock } from "../src/clock/index.ts";
import { type Controller, controller, NotLeading } from "../src/controller/index.ts";
import { ConfigMap } from "../src/kinds/generated/core/v1.ts";
import { createLogger, type Manager, type ManagerOptions, type MetricsServerOptions, startManager } from "../src/manager/index.ts";
import { defineResource } from "../src/resource/index.ts";
import { createFakeApiServer, type FakeApiServer, statusResponse } from "./fakes/api-server.ts";

const Thing = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Thing",
  spec: z.object({ n: z.int().default(0) }),
  status: z.object({ seen: z.int() }),
});
const createThing = (name: string, n = 0) => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name, namespace: "d" },
  spec: { n },
});
const things = controller(Thing, {
  name: "things",
  owns: [ConfigMap],
  reconcile: ({ object, want }) =>
    want({ children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { n: String(object.spec.n) } }) } }),
});

const running: { readonly manager: Manager; readonly clock: VirtualClock }[] = [];
afterEach(async () => {
  for (const { manager, clock } of running.splice(0)) {
    const stopping = manager.stop();
    await clock.advance(60_000);
    await stopping;
  }
});

interface Part extends Partial<ManagerOptions> {
  readonly server: FakeApiServer;
  readonly clock: VirtualClock;
  readonly lines?: any[];
  readonly name?: string;
}
function manage(controllers: readonly Controller[], { server, clock, lines = [], name = "op", ...options }: Part): Manager {
  const client = createClient(server.transport, { clock: clock, random: seededRandom(1), fieldManager: name, onWarning: () => {} });
  const logger = createLogger({ clock, write: (line) => lines.push(JSON.parse(line)), level: "debug" });
  const manager = startManager({ controllers, client, clock, random: seededRandom(2), logger, ...options });
  running.push({ manager, clock });
  return manager;
}
function setup() {
  const clock = virtualClock();
  return { clock, server: createFakeApiServer({ clock }) };
}

describe("start", () => {
  test("RT-9, RT-33 rejects with the unsynced kinds and reasons after the sync timeout", async () => {
    const { clock, server } = setup();
    server.intercept = (request) =>
      request.path.includes("configmaps")
        ? statusResponse(
            403,
            "Forbidden",
            'configmaps is forbidden: User "op" cannot watch resource "configmaps" in API group "" at the cluster scope',
          )
        : undefined;
    const lines: any[] = [];
    const manager = manage([things], { clock, server, lines });
    const failed = expect(manager.ready).rejects.toThrow(
      /caches not synced within 120 s: things: ConfigMap: not allowed to watch configmaps/,
    );
    await clock.advance(119_000);
    const waits = lines.filter(({ message }) => message === "Still starting");
    expect(waits.map(({ seconds }) => seconds)).toEqual([10, 20, 40, 80]);
    expect(waits[0].waitingFor).toMatch(/^the first list of things: ConfigMap: not allowed to watch configmaps/);
    await clock.advance(61_000);
    await failed;
    await expect(manager.done).rejects.toThrow(/not synced/);
    expect(server.watches).toBe(0);
  });

  test("RT-9 starts no worker before all caches are synced and all handlers notified", async () => {
    const { clock, server } = setup();
    server.put("things", createThing("a"));
    let late = true;
    server.intercept = (request) =>
      late && request.path.includes("configmaps") && request.method === "GET" ? statusResponse(500, "InternalError") : undefined;
    const manager = manage([things], { clock, server });
    await clock.advance(10_000);
    expect(server.list("configmaps")).toHaveLength(0);
    late = false;
    await clock.advance(30_000);
    await manager.ready;
    expect(server.list("configmaps")).toHaveLength(1);
  });

  test("RT-45 two managers in one process are independent", async () => {
    const [first, second] = [setup(), setup()];
    manage([things], first);
    manage([things], second);
    first.server.put("things", createThing("a"));
    await first.clock.settle();
    expect(first.server.list("configmaps")).toHaveLength(1);
    expect(second.server.list("configmaps")).toHaveLength(0);
    expect(() => manage([things, things], first).ready).not.toThrow();
    await expect(running.at(-1)!.manager.done).rejects.toThrow(/two controllers are called things/);
  });

  test("RT-24 stop waits for running reconciliations and leaves no watch and no timer", async () => {
    const { clock, server } = setup();
    let ended = false;
    const slow = controller(Thing, {
      name: "slow",
      async reconcile() {
        await clock.sleep(5_000);
        ended = true;
      },
    });
    server.put("things", createThing("a"));
    const manager = manage([slow], { clock, server });
    await clock.advance(1_000);
    const stopping = manager.stop();
    await clock.advance(1_000);
    expect(ended).toBe(false);
    await clock.advance(4_000);
    await stopping;
    expect(ended).toBe(true);
    expect(server.watches).toBe(0);
    expect(clock.pending).toBe(0);
  });
});

describe("leader election", () => {
  const electionOptions = (identity: string) => ({ leaderElection: { name: "lease", namespace: "d", identity }, name: identity });
  const holder = (server: FakeApiServer) => server.get("leases", "d", "lease")?.["spec"];

  test("RT-23 the standby keeps its caches synced and takes over within the lease duration and two retry periods", async () => {
    const { clock, server } = setup();
    const first = manage([things], { server, clock, ...electionOptions("one") });
    await clock.settle();
    const second = manage([things], { server, clock, ...electionOptions("two") });
    server.put("things", createThing("a"));
    await clock.advance(20_000);
    expect([first.isLeading, second.isLeading]).toEqual([true, false]);
    expect(holder(server)).toMatchObject({ holderIdentity: "one", leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(server.requests.filter((line) => line.startsWith("PATCH"))).toHaveLength(1);
    // The first process loses its connection, as if it had been stopped.
    let dead = true;
    server.intercept = (request) =>
      dead && (request.body as any)?.spec?.holderIdentity === "one" ? statusResponse(503, "ServiceUnavailable") : undefined;
    await clock.advance(10_500);
    expect(first.isLeading).toBe(false);
    await clock.advance(15_000 + 2 * 2_400 - 10_500);
    expect(second.isLeading).toBe(true);
    expect(holder(server)).toMatchObject({ holderIdentity: "two", leaseTransitions: 1 });
    dead = false;
    await clock.advance(30_000);
    expect([first.isLeading, second.isLeading]).toEqual([false, true]);
  });

  test("RT-23, RT-64 stop releases the lease after the workers, and the standby acquires it within a retry period", async () => {
    const { clock, server } = setup();
    const first = manage([things], { server, clock, ...electionOptions("one") });
    await clock.settle();
    const second = manage([things], { server, clock, ...electionOptions("two") });
    await clock.advance(5_000);
    const stopping = first.stop();
    await clock.settle();
    await stopping;
    expect(holder(server)).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    await clock.advance(3_000);
    expect(second.isLeading).toBe(true);
    server.put("things", createThing("b"));
    await clock.settle();
    expect(server.get("configmaps", "d", "b")).toBeDefined();
  });

  test("assertLeading throws NotLeading before another candidate can act, for changes of external systems", async () => {
    const { clock, server } = setup();
    let assertLeading = () => {};
    const external = controller(Thing, {
      reconcile(context) {
        assertLeading = context.assertLeading;
        assertLeading();
        return context.want({});
      },
    });
    server.put("things", createThing("a"));
    manage([external], { server, clock, ...electionOptions("one") });
    await clock.advance(1_000);
    expect(assertLeading).not.toThrow();
    server.intercept = (request) =>
      (request.body as any)?.spec?.holderIdentity === "one" ? statusResponse(503, "ServiceUnavailable") : undefined;
    await clock.advance(12_500);
    expect(assertLeading).toThrow(NotLeading);
  });

  test("RT-23 skewed wall clocks do not affect the lease", async () => {
    const { clock, server } = setup();
    const first = manage([things], { server, clock, ...electionOptions("one") });
    await clock.settle();
    const ahead = { ...clock, now: () => clock.now() + 3_600_000 };
    const client = createClient(server.transport, { clock: clock, onWarning: () => {} });
    const logger = createLogger({ clock, write: () => {} });
    const second = startManager({
      controllers: [things],
      client,
      clock: ahead,
      logger,
      leaderElection: { name: "lease", namespace: "d", identity: "two" },
    });
    await clock.advance(60_000);
    expect([first.isLeading, second.isLeading]).toEqual([true, false]);
    const stopping = second.stop();
    await clock.settle();
    await stopping;
  });

  test("RT-47 a process that lost the lease writes nothing, and can acquire it again", async () => {
    const { clock, server } = setup();
    const lines: any[] = [];
    const first = manage([things], { server, clock, lines, ...electionOptions("one") });
    await clock.advance(3_000);
    let dead = true;
    server.intercept = (request) => (dead && request.path.includes("leases") ? statusResponse(500, "InternalError") : undefined);
    await clock.advance(11_000);
    expect(first.isLeading).toBe(false);
    server.put("things", createThing("a"));
    await clock.advance(5_000);
    expect(server.list("configmaps")).toHaveLength(0);
    dead = false;
    await clock.advance(5_000);
    expect(first.isLeading).toBe(true);
    expect(server.list("configmaps")).toHaveLength(1);
    expect(lines.filter((line) => line.level === "error")).toEqual([]);
  });

  test("the write gate rejects a request after the renew deadline before it is sent", async () => {
    const { clock, server } = setup();
    let proceed = () => {};
    const slow = controller(Thing, {
      name: "slow",
      owns: [ConfigMap],
      async reconcile({ want }) {
        await new Promise<void>((resolve) => {
          proceed = resolve;
        });
        return want({ children: { map: ConfigMap.desired({ metadata: { name: "late" } }) } });
      },
    });
    server.put("things", createThing("a"));
    manage([slow], { server, clock, ...electionOptions("one") });
    await clock.advance(3_000);
    // Like a process under SIGSTOP: time passes, nothing runs.
    server.intercept = (request) => (request.path.includes("leases") ? statusResponse(500, "InternalError") : undefined);
    await clock.advance(12_000);
    proceed();
    await clock.settle();
    expect(server.list("configmaps")).toHaveLength(0);
  });

  test("RT-23 with exitOnLoss the manager fails when the lease is lost", async () => {
    const { clock, server } = setup();
    const manager = manage([things], {
      server,
      clock,
      leaderElection: { name: "lease", namespace: "d", identity: "one", exitOnLoss: true },
    });
    await clock.advance(3_000);
    server.intercept = (request) => (request.path.includes("leases") ? statusResponse(500, "InternalError") : undefined);
    const failed = expect(manager.done).rejects.toThrow(/the lease was lost: it was not renewed for 10 s/);
    await clock.advance(60_000);
    await failed;
  });
});

describe("endpoints", () => {
  const read = async (port: number | undefined, path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return { status: response.status, body: await response.text() };
  };

  test("RT-30 probes support single checks, verbose and exclude, withhold reasons, and readiness follows the watches", async () => {
    const { clock, server } = setup();
    const manager = manage([things], { server, clock, health: "127.0.0.1:0" });
    await manager.ready;
    const { health } = manager.ports;
    expect(await read(health, "/healthz")).toEqual({ status: 200, body: "ok" });
    expect(await read(health, "/readyz")).toEqual({ status: 200, body: "ok" });
    expect(await read(health, "/readyz?verbose")).toEqual({ status: 200, body: "[+]ping ok\n[+]caches ok\nreadyz check passed\n" });
    server.cut("blackhole");
    server.intercept = (request) =>
      new Promise((_, reject) => request.signal!.addEventListener("abort", () => reject(request.signal!.reason)));
    await clock.advance(80_000);
    expect(await read(health, "/readyz")).toEqual({
      status: 500,
      body: "[+]ping ok\n[-]caches failed: reason withheld\nreadyz check failed\n",
    });
    expect(await read(health, "/readyz/caches")).toMatchObject({ status: 500 });
    expect(await read(health, "/readyz?exclude=caches&exclude=unknown")).toEqual({ status: 200, body: "ok" });
    expect(await read(health, "/healthz")).toMatchObject({ status: 200 });
    expect(await read(health, "/readyz/unknown")).toMatchObject({ status: 404 });
    expect(await read(health, "/elsewhere")).toMatchObject({ status: 404 });
    server.intercept = undefined;
    await clock.advance(80_000);
    expect(await read(health, "/readyz")).toEqual({ status: 200, body: "ok" });
  });

  test("RT-29, RT-46, RT-72 metrics have the names and labels of controller-runtime, and no series per object", async () => {
    const { clock, server } = setup();
    const manager = manage([things], { server, clock, metrics: "127.0.0.1:0" });
    await manager.ready;
    server.put("things", createThing("a"));
    await clock.settle();
    const { body } = await read(manager.ports.metrics, "/metrics");
    for (const line of [
      'controller_runtime_reconcile_total{controller="things",result="success"} 1',
      'controller_runtime_reconcile_total{controller="things",result="requeue"} 0',
      'controller_runtime_reconcile_errors_total{controller="things"} 0',
      'controller_runtime_terminal_reconcile_errors_total{controller="things"} 0',
      'controller_runtime_reconcile_panics_total{controller="things"} 0',
      'controller_runtime_reconcile_timeouts_total{controller="things"} 0',
      'controller_runtime_max_concurrent_reconciles{controller="things"} 32',
      'controller_runtime_active_workers{controller="things"} 0',
      'controller_runtime_reconcile_time_seconds_bucket{controller="things",le="0.005"} 1',
      'controller_runtime_reconcile_time_seconds_bucket{controller="things",le="+Inf"} 1',
      'workqueue_depth{name="things",controller="things",priority="0"} 0',
      'workqueue_retries_total{name="things",controller="things"} 0',
      'workqueue_queue_duration_seconds_bucket{name="things",controller="things",le="1e-8"} 1',
      'workqueue_work_duration_seconds_count{name="things",controller="things"} 1',
      'workqueue_unfinished_work_seconds{name="things",controller="things"} 0',
      'workqueue_longest_running_processor_seconds{name="things",controller="things"} 0',
      'pintle_plan_steps_total{controller="things",step="apply"} 1',
      'pintle_cache_objects{kind="Thing",namespace=""} 1',
      'pintle_cache_lists_total{kind="Thing"} 1',
    ])
      expect(body.split("\n")).toContain(line);
    expect(body).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(body).toMatch(/^nodejs_eventloop_lag_seconds /m);
    const series = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length;
    for (let i = 0; i < 500; i++) server.put("things", createThing(`t${i}`));
    await clock.settle();
    expect(series((await read(manager.ports.metrics, "/metrics")).body)).toBe(series(body));
  });

  test("RT-29 metrics with authorization: 401 without a valid token, 403 without permission, results are cached", async () => {
    const { clock, server } = setup();
    const reviews: string[] = [];
    server.intercept = ({ path, body }) => {
      const { spec } = (body ?? {}) as any;
      if (path.endsWith("/tokenreviews")) {
        reviews.push("token");
        return {
          status: 201,
          body: {
            kind: "TokenReview",
            apiVersion: "x",
            metadata: {},
            status: spec.token === "bad" ? {} : { authenticated: true, user: { username: spec.token } },
          },
        };
      }
      if (path.endsWith("/subjectaccessreviews")) {
        reviews.push(`${spec.user} ${spec.nonResourceAttributes.verb} ${spec.nonResourceAttributes.path}`);
        return {
          status: 201,
          body: { kind: "SubjectAccessReview", apiVersion: "x", metadata: {}, status: { allowed: spec.user === "good" } },
        };
      }
      return undefined;
    };
    const manager = manage([things], { server, clock, metrics: { address: "127.0.0.1:0", requireAuthorization: true, tls: false } });
    await manager.ready;
    const status = async (token?: string) =>
      (await read(manager.ports.metrics, "/metrics", token === undefined ? {} : { authorization: `Bearer ${token}` })).status;
    expect([await status(), await status("bad"), await status("good"), await status("other"), await status("good")]).toEqual([
      401, 401, 200, 403, 200,
    ]);
    expect(reviews).toEqual(["token", "token", "good get /metrics", "token", "other get /metrics"]);
  });

  test("metrics: a reader whose right or token is revoked loses access within a minute", async () => {
    const { clock, server } = setup();
    const revoked = { tokens: false, rights: false };
    server.intercept = ({ path }) => {
      const [kind, status] = path.endsWith("/tokenreviews")
        ? ["TokenReview", { authenticated: !revoked.tokens, user: { username: "prometheus" } }]
        : path.endsWith("/subjectaccessreviews")
          ? ["SubjectAccessReview", { allowed: !revoked.rights }]
          : [];
      return kind === undefined ? undefined : { status: 201, body: { kind, apiVersion: "x", metadata: {}, status } };
    };
    const manager = manage([things], { server, clock, metrics: { address: "127.0.0.1:0", requireAuthorization: true, tls: false } });
    await manager.ready;
    const status = async () => (await read(manager.ports.metrics, "/metrics", { authorization: "Bearer t" })).status;
    const readForAMinute = async () => {
      const seen: number[] = [];
      for (let second = 0; second < 60; second += 5) {
        seen.push(await status());
        await clock.advance(5_000);
      }
      return [seen[0], await status()];
    };
    expect(await status()).toBe(200);
    revoked.rights = true;
    expect(await readForAMinute()).toEqual([200, 403]);
    revoked.rights = false;
    expect(await readForAMinute()).toEqual([403, 200]);
    revoked.tokens = true;
    expect(await readForAMinute()).toEqual([200, 401]);
  });

  test("metrics on an address that other machines reach are served with TLS and authorization, unless configured otherwise", async () => {
    const { clock, server } = setup();
    const plain = async (metrics: string | MetricsServerOptions) => {
      const manager = manage([things], { server, clock, metrics });
      await manager.ready;
      return read(manager.ports.metrics, "/metrics").then(
        ({ status }) => status,
        () => "refused",
      );
    };
    expect(await plain(":0")).toBe("refused");
    expect(await plain("0.0.0.0:0")).toBe("refused");
    expect(await plain({ address: ":0", tls: false })).toBe(401);
    expect(await plain("127.0.0.1:0")).toBe(200);
    expect(await plain({ address: "0.0.0.0:0", requireAuthorization: false })).toBe(200);
  });
});

test("RT-31 repeated Events become a series, long names and notes are truncated, and Events of cluster-scoped objects are in default", async () => {
  const { clock, server } = setup();
  const long = "x".repeat(250);
  const op = controller(Thing, {
    name: "op",
    reconcile({ event, object }) {
      event("Seen", object.spec.n === 9 ? "y".repeat(2000) : "again", { type: "Warning" });
    },
  });
  server.put("things", createThing(long));
  const manager = manage([op], { server, clock });
  await manager.ready;
  await clock.settle();
  for (let i = 1; i < 5; i++) {
    server.put("things", createThing(long, i));
    await clock.settle();
  }
  server.put("things", createThing(long, 9));
  await clock.settle();
  const events = server.list("events");
  expect(events).toHaveLength(2);
  expect(events[0]).toMatchObject({
    apiVersion: "events.k8s.io/v1",
    reason: "Seen",
    type: "Warning",
    note: "again",
    reportingController: "op",
    action: "Reconcile",
    series: { count: 5 },
    regarding: { kind: "Thing", name: long, namespace: "d" },
  });
  expect(events[0]!["metadata"].name.length).toBeLessThanOrEqual(253);
  expect(events[1]!["note"]).toHaveLength(1024);
});

test.each([
  ["health", "health endpoint", "--health-probe-bind-address"],
  ["metrics", "metrics endpoint", "--metrics-bind-address"],
] as const)("the %s port that another process uses is reported in one sentence, with the option to change", async (option, name, flag) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
  try {
    const clock = virtualClock();
    const manager = manage([things], { server: createFakeApiServer({ clock }), clock, [option]: address });
    await expect(manager.ready).rejects.toThrow(
      `${name}: cannot listen on ${address}: another process uses the port (EADDRINUSE); set another address with \`${option}\` or ${flag}`,
    );
  } finally {
    taken.close();
  }
});
