import { describe, expect, test } from "vitest";
import { type Controller, controller, formatPlan, type HistoryLimits, keepLast } from "../src/controller/index.ts";
import { Job } from "../src/kinds/generated/batch/v1.ts";
import { metadataOnly } from "../src/kinds/index.ts";
import { objectFixture, type Simulation, simulate } from "../src/testing/index.ts";
import { Memcached } from "./fakes/operator.ts";

const spec = { template: { spec: { restartPolicy: "Never" as const, containers: [{ name: "c", image: "i" }] } } };
const run = (name: string) => Job.desired({ metadata: { name }, spec });

/** Returns a controller with one run per minute, none once `isSuspended`, and another Job beside the history. */
function runner(limits: () => number | HistoryLimits, isSuspended = () => false, hasHistory = () => true): Controller {
  return controller(Memcached, {
    owns: [Job],
    reconcile({ now, want }) {
      const minute = run(`run-${now.toISOString().slice(14, 16)}`);
      const children = {
        runs: hasHistory() && keepLast(limits(), Job, !isSuspended() && minute),
        other: !isSuspended() && run("migration"),
      };
      return want({ children, requeueAfter: "1m" });
    },
  });
}
const names = (simulation: Simulation) =>
  simulation
    .list(Job)
    .map(({ metadata }) => metadata.name)
    .sort();
const finish = (simulation: Simulation, name: string, type: "Complete" | "Failed") =>
  simulation.put(objectFixture(Job, name, { status: { conditions: [{ type, status: "True" }] } }));
const start = (op: Controller) => simulate(op, [Memcached.desired({ metadata: { name: "a" }, spec: { size: 1 } })]);

describe("keepLast", () => {
  test("keeps the newest finished children and those that run, and prunes older ones", async () => {
    const sim = await start(runner(() => 2));
    for (const minute of ["00", "01", "02", "03"]) {
      await finish(sim, `run-${minute}`, minute === "01" ? "Failed" : "Complete");
      await sim.advance(60_000);
    }
    expect(names(sim)).toEqual(["migration", "run-02", "run-03", "run-04"]);
    expect(sim.plans.map(formatPlan).join("\n")).toContain("prune Job default/run-01 (not among the last 2)");
    await sim.advance(60_000);
    expect(names(sim)).toEqual(["migration", "run-02", "run-03", "run-04", "run-05"]);
  });

  test("counts succeeded and failed children apart, and applies changed limits at once", async () => {
    let limits: HistoryLimits = { succeeded: 1, failed: 1 };
    const sim = await start(runner(() => limits));
    for (const [minute, type] of [
      ["00", "Failed"],
      ["01", "Complete"],
      ["02", "Complete"],
      ["03", "Complete"],
    ] as const) {
      await finish(sim, `run-${minute}`, type);
      await sim.advance(60_000);
    }
    expect(names(sim)).toEqual(["migration", "run-00", "run-03", "run-04"]);
    limits = { succeeded: 0, failed: 0, running: "prune" };
    await sim.advance(60_000);
    expect(names(sim)).toEqual(["migration", "run-05"]);
  });

  test("keeps the history while no child is desired, and prunes it with the last `keepLast`", async () => {
    let isSuspended = false;
    let hasHistory = true;
    const sim = await start(
      runner(
        () => 3,
        () => isSuspended,
        () => hasHistory,
      ),
    );
    isSuspended = true;
    await finish(sim, "run-00", "Complete");
    expect(names(sim)).toEqual(["run-00"]);
    await sim.advance(600_000);
    expect(names(sim)).toEqual(["run-00"]);
    hasHistory = false;
    await sim.advance(60_000);
    expect(names(sim)).toEqual([]);
  });

  test("a child of a history is written once and not repaired", async () => {
    const sim = await start(runner(() => 3));
    await sim.put([Job, { metadata: { name: "run-00" }, spec: { parallelism: 7 } }]);
    await sim.put([Job, { metadata: { name: "migration" }, spec: { template: { spec: { restartPolicy: "OnFailure" } } } }]);
    expect(sim.get(Job, { name: "run-00", namespace: "default" })?.metadata.annotations).toMatchObject({ "pintle.dev/history": "default" });
    expect(sim.plans.map(formatPlan)).toEqual([
      "apply runs Job default/run-00 (missing), apply other Job default/migration (missing)",
      "apply other Job default/migration (changed by another writer)",
    ]);
  });

  test("refuses invalid limits, metadata-only kinds and two histories of one name", async () => {
    expect(() => keepLast(-1, Job)).toThrow(/last is -1: use an integer of 0 or more/);
    expect(() => keepLast({ failed: 1.5 }, Job)).toThrow(/failed is 1.5/);
    expect(() => keepLast(1, metadataOnly(Job))).toThrow(/only its metadata is watched/);
    const twice = controller(Memcached, {
      owns: [Job],
      reconcile: ({ want }) => want({ children: { a: keepLast(1, Job), b: keepLast(2, Job) } }),
    });
    await expect(start(twice)).rejects.toThrow(/two histories of Job have the name "default": give one of them another `name`/);
  });
});
