import { describe, expect, test } from "vitest";
import { controller, failed, terminal } from "../src/controller/index.ts";
import { ConfigMap } from "../src/kinds/generated/core/v1.ts";
import { statusResponse } from "./fakes/api-server.ts";
import { type ManagerSetup, Memcached, memcached, setupManager } from "./fakes/operator.ts";

const conditionsOf = ({ server }: Pick<ManagerSetup, "server">) => {
  const list: any[] = server.get("memcacheds", "d", "a")?.["status"]?.conditions ?? [];
  return Object.fromEntries(list.map(({ type, ...rest }) => [type, rest]));
};
const notesOf = ({ server }: ManagerSetup) => server.list("events").map(({ reason, note }: any) => `${reason}: ${note}`);

/** A controller that fails as long as `failure` is set. */
function createFailingController(options: { readonly name?: string } = {}) {
  const state: { failure: Error | undefined } = { failure: undefined };
  const op = controller(Memcached, {
    name: options.name ?? "op",
    reconcile({ want }) {
      if (state.failure !== undefined) throw state.failure;
      return want({ conditions: { Available: { status: true, reason: "Fine" } } });
    },
  });
  return { op, state };
}

describe("a failure is visible on the object", () => {
  test("an error that reconcile throws makes Ready False at once; the next success removes it", async () => {
    const { op, state } = createFailingController();
    const setup = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(conditionsOf(setup)).toMatchObject({ Available: { status: "True", observedGeneration: 1 } });
    expect(conditionsOf(setup)["Ready"]).toBeUndefined();

    state.failure = new Error("could not reach billing", {
      cause: new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") }),
    });
    setup.server.put("memcacheds", memcached("a", { size: 2 }));
    await setup.clock.settle();
    expect(conditionsOf(setup)).toMatchObject({
      Available: { status: "True", observedGeneration: 1 },
      Ready: {
        status: "False",
        reason: "ReconcileFailed",
        message: "op: reconcile failed: could not reach billing: fetch failed: connect ECONNREFUSED",
        observedGeneration: 2,
      },
    });
    expect(setup.server.get("memcacheds", "d", "a")!["status"].observedGeneration).toBe(1);

    state.failure = undefined;
    await setup.clock.advance(10_000);
    expect(conditionsOf(setup)).toMatchObject({ Available: { status: "True", observedGeneration: 2 } });
    expect(conditionsOf(setup)["Ready"]).toBeUndefined();
  });

  test("retries write nothing and record no further Event while the failure is the same", async () => {
    const { op, state } = createFailingController();
    state.failure = failed("QuotaExceeded", "no quota left");
    const setup = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    await setup.clock.advance(600_000);
    const statusWrites = () => setup.writes().filter((line) => line.includes("/status"));
    expect(statusWrites()).toHaveLength(1);
    expect(conditionsOf(setup)["Ready"]).toMatchObject({ status: "False", reason: "QuotaExceeded" });
    expect(notesOf(setup)).toEqual(["QuotaExceeded: op: reconcile failed: no quota left"]);

    state.failure = failed("RegionClosed", "the region is closed");
    await setup.clock.advance(3_600_000);
    expect(statusWrites()).toHaveLength(2);
    expect(notesOf(setup)).toHaveLength(2);
  });

  test("after a restart the same failure is counted in the Event of the process before", async () => {
    const { op, state } = createFailingController();
    state.failure = failed("QuotaExceeded", "no quota left");
    const setup = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    let { manager } = setup;
    for (let restarts = 0; restarts < 2; restarts++) {
      const stopping = manager.stop();
      await setup.clock.advance(60_000);
      await stopping;
      manager = setup.restart();
      await setup.clock.advance(1_000);
    }
    expect(setup.server.list("events")).toMatchObject([{ reason: "QuotaExceeded", series: { count: 3 } }]);
    state.failure = failed("QuotaExceeded", "no quota at all");
    setup.server.put("memcacheds", memcached("a", { size: 2 }));
    await setup.clock.advance(1_000);
    expect(notesOf(setup)).toHaveLength(2);
  });

  test("the log has the stack of a failure once, and counts its repetitions", async () => {
    const { op, state } = createFailingController();
    state.failure = new Error("no quota left", { cause: new Error("429") });
    const setup = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    await setup.clock.advance(60_000);
    const all = setup.lines.filter(({ message }) => message === "Reconciler error");
    expect(all.map(({ failures }) => failures)).toEqual(all.map((_, index) => index + 1));
    // Repetitions within ten seconds are visible as a count only.
    const lines = all.filter(({ level }) => level === "error");
    expect(lines.map(({ failures }) => failures)).toEqual([1, 12, 13, 14]);
    expect(lines.map(({ error }) => error)).toEqual(lines.map(() => "no quota left: 429"));
    expect(lines.map(({ stacktrace }) => typeof stacktrace)).toEqual(["string", ...lines.slice(1).map(() => "undefined")]);
    expect(lines[0].stacktrace).toContain("failure-report.test.ts");
  });

  test("a refused child makes Ready False although reconcile reported it as True, and stays so over retries", async () => {
    const op = controller(Memcached, {
      owns: [ConfigMap],
      reconcile: ({ want }) =>
        want({
          children: { map: ConfigMap.desired({ metadata: { name: "map" } }) },
          status: { nodes: ["n"] },
          conditions: { Available: { status: true, reason: "Fine" } },
        }),
    });
    const setup = await setupManager([op]);
    setup.server.intercept = ({ path, method }) =>
      path.includes("configmaps") && method === "PATCH" ? statusResponse(403, "Forbidden") : undefined;
    setup.server.put("memcacheds", memcached("a"));
    await setup.clock.advance(600_000);
    expect(conditionsOf(setup)["Ready"]).toMatchObject({
      status: "False",
      message: expect.stringContaining("memcached: reconcile failed: "),
    });
    expect(conditionsOf(setup)["Available"]).toBeUndefined();
    expect(setup.server.get("memcacheds", "d", "a")!["status"].nodes).toEqual(["n"]);
    expect(setup.writes().filter((line) => line.includes("/status"))).toHaveLength(1);
  });

  test.each([
    [409, "Conflict"],
    [429, "TooManyRequests"],
    [503, "ServiceUnavailable"],
  ] as const)("status %i of the API server is reported from the third failure in a row on", async (code, reason) => {
    const op = controller(Memcached, {
      owns: [ConfigMap],
      reconcile: ({ want }) => want({ children: { map: ConfigMap.desired({ metadata: { name: "map" } }) } }),
    });
    const setup = await setupManager([op]);
    let requests = 0;
    setup.server.intercept = ({ path, method }) => {
      if (!path.includes("configmaps") || method !== "PATCH") return undefined;
      requests++;
      return statusResponse(code, reason);
    };
    const seen: boolean[] = [];
    setup.server.put("memcacheds", memcached("a"));
    while (seen.length < 4 && requests < 100) {
      const before = requests;
      while (requests === before) await setup.clock.advance(1);
      await setup.clock.settle();
      seen.push(conditionsOf(setup)["Ready"] !== undefined);
    }
    expect(seen.indexOf(true)).toBeGreaterThan(0);
    expect(conditionsOf(setup)["Ready"]).toMatchObject({ status: "False" });
  });

  test("a terminal error also makes Stalled True, and success removes both", async () => {
    const { op, state } = createFailingController();
    state.failure = terminal(failed("NameTaken", "the name is taken"));
    const setup = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(conditionsOf(setup)).toMatchObject({
      Ready: { status: "False", reason: "NameTaken" },
      Stalled: { status: "True", reason: "NameTaken" },
    });
    state.failure = undefined;
    setup.server.put("memcacheds", memcached("a", { size: 2 }));
    await setup.clock.settle();
    expect(Object.keys(conditionsOf(setup))).toEqual(["Available"]);
  });

  test("want({ failure }) writes children and conditions, then fails; the next success removes the failure", async () => {
    let runs = 0;
    let isMissing = true;
    const op = controller(Memcached, {
      name: "op",
      owns: [ConfigMap],
      reconcile({ want }) {
        runs++;
        return want({
          children: { map: ConfigMap.desired({ metadata: { name: "map" } }) },
          conditions: { Available: { status: false, reason: "NoBackend" } },
          failure: isMissing ? failed("BackendMissing", "no backend") : undefined,
        });
      },
    });
    const setup = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(setup.server.list("configmaps")).toHaveLength(1);
    expect(conditionsOf(setup)).toMatchObject({
      Available: { status: "False", reason: "NoBackend", observedGeneration: 1 },
      Ready: { status: "False", reason: "BackendMissing", message: "no backend (reported by controller op)" },
    });
    expect(notesOf(setup)).toEqual(["BackendMissing: no backend (reported by controller op)"]);
    const before = runs;
    await setup.clock.advance(10_000);
    expect(runs).toBeGreaterThan(before + 3);
    expect(setup.writes().filter((line) => line.includes("/status"))).toHaveLength(1);
    isMissing = false;
    await setup.clock.advance(60_000);
    expect(conditionsOf(setup)["Ready"]).toBeUndefined();
  });

  test("a failure of finalize is reported as such, and a pending finalization reports conditions", async () => {
    let result: Error | { requeueAfter: "10s"; conditions: object } = new Error("the bucket is not empty");
    const op = controller(Memcached, {
      name: "op",
      reconcile() {},
      finalize() {
        if (result instanceof Error) throw result;
        return result as never;
      },
    });
    const setup = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    setup.server.remove("memcacheds", "d", "a");
    await setup.clock.settle();
    expect(conditionsOf(setup)["Ready"]).toMatchObject({
      reason: "FinalizeFailed",
      message: "op: finalize failed: the bucket is not empty",
    });
    expect(notesOf(setup)).toEqual(["FinalizeFailed: op: finalize failed: the bucket is not empty"]);
    result = { requeueAfter: "10s", conditions: { Available: { status: false, reason: "Draining" } } };
    await setup.clock.advance(60_000);
    expect(conditionsOf(setup)).toMatchObject({ Available: { reason: "Draining" } });
    expect(conditionsOf(setup)["Ready"]).toBeUndefined();
  });

  test("failed() reports conditions with a thrown failure of reconcile and finalize; Ready is False unless they say otherwise", async () => {
    const unpaid = (status: boolean | "Unknown", reason: string) =>
      failed("QuotaExceeded", "no quota left", { conditions: { Available: { status, reason }, Other: { status: true, reason } } });
    let failure: Error | undefined = unpaid(false, "NoQuota");
    const reportFailure = () => {
      if (failure !== undefined) throw failure;
    };
    const op = controller(Memcached, {
      name: "op",
      reconcile({ want }) {
        reportFailure();
        return want({ conditions: { Available: { status: true, reason: "Fine" } } });
      },
      finalize: reportFailure,
    });
    const setup = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    expect(conditionsOf(setup)).toMatchObject({
      Available: { status: "False", reason: "NoQuota", observedGeneration: 1 },
      Ready: { status: "False", reason: "QuotaExceeded", message: "op: reconcile failed: no quota left" },
    });
    expect(Object.keys(conditionsOf(setup)).sort()).toEqual(["Available", "Ready"]);
    expect(setup.lines.filter(({ level }) => level === "warn")).toMatchObject([{ conditions: ["Other"], declared: expect.any(Array) }]);
    const writes = setup.writes().length;
    await setup.clock.advance(600_000);
    expect(setup.writes()).toHaveLength(writes);

    failure = undefined;
    await setup.clock.advance(1_200_000);
    expect(conditionsOf(setup)).toMatchObject({ Available: { status: "True", reason: "Fine" } });
    failure = failed("Locked", "still in use", {
      conditions: { Available: { status: "Unknown", reason: "Deleting" }, Ready: { status: false, reason: "InUse" } },
    });
    setup.server.remove("memcacheds", "d", "a");
    // The fake server sends no bookmarks: the watch may have to be opened again.
    await setup.clock.advance(120_000);
    expect(conditionsOf(setup)).toMatchObject({
      Available: { status: "Unknown", reason: "Deleting" },
      Ready: { status: "False", reason: "InUse" },
    });
    expect(notesOf(setup)).toContain("Locked: op: finalize failed: still in use");
  });

  test("two controllers of one kind leave the failures of each other alone", async () => {
    const one = createFailingController({ name: "one" });
    const two = createFailingController({ name: "two" });
    one.state.failure = new Error("first");
    two.state.failure = new Error("second");
    const setup = await setupManager([one.op, two.op], { before: (s) => s.put("memcacheds", memcached("a")) });
    await setup.clock.advance(600_000);
    expect(conditionsOf(setup)["Ready"].message).toMatch(/^(one|two): reconcile failed: /);
    expect(setup.writes().filter((line) => line.includes("/status")).length).toBeLessThan(3);
    const shown = conditionsOf(setup)["Ready"].message.startsWith("one") ? one : two;
    const hidden = shown === one ? two : one;
    shown.state.failure = undefined;
    await setup.clock.advance(600_000);
    expect(conditionsOf(setup)["Ready"].message).toMatch(hidden === one ? /^one: / : /^two: /);
    hidden.state.failure = undefined;
    await setup.clock.advance(3_600_000);
    expect(conditionsOf(setup)["Ready"]).toBeUndefined();
  });
});
