import { describe, expect, test } from "vitest";
import { controller } from "../src/controller/index.ts";
import { Deployment } from "../src/kinds/generated/apps/v1.ts";
import { Job } from "../src/kinds/generated/batch/v1.ts";
import { ConfigMap } from "../src/kinds/generated/core/v1.ts";
import { objectFixture, simulate } from "../src/testing/index.ts";
import { deploymentFor, Memcached, memcached, setupManager } from "./fakes/operator.ts";

const DEPLOYED = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
const COMPLETE = { conditions: [{ type: "Complete", status: "True" }] };
const FAILED = { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] };

describe("after", () => {
  test("RT-70 a child that waits for another is neither applied nor updated nor repaired nor pruned", async () => {
    const op = controller(Memcached, {
      owns: [ConfigMap, Deployment],
      reconcile({ object, want }) {
        const db = deploymentFor("db", 1);
        const app = ConfigMap.desired({ metadata: { name: "app" }, data: { size: String(object.spec.size) } }, { after: [db] });
        return want({ children: { app, db } });
      },
    });
    const { server, clock } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    const sizeOf = () => server.get("configmaps", "d", "app")?.["data"];
    const setDatabaseStatus = (status: object) => server.put("deployments", { metadata: { name: "db", namespace: "d" }, status });
    expect(sizeOf()).toBeUndefined();
    setDatabaseStatus(DEPLOYED);
    await clock.settle();
    expect(sizeOf()).toEqual({ size: "3" });

    setDatabaseStatus({ availableReplicas: 0 });
    server.put("memcacheds", memcached("a", { size: 5 }));
    await clock.settle();
    expect(sizeOf()).toEqual({ size: "3" });
    server.put("configmaps", { metadata: { name: "app", namespace: "d" }, data: { size: "edited" } });
    await clock.settle();
    expect(sizeOf()).toEqual({ size: "edited" });
    setDatabaseStatus(DEPLOYED);
    await clock.settle();
    expect(sizeOf()).toEqual({ size: "5" });
  });

  /** The name of the Job changes with the size, as that of a migration changes with the version of a program. */
  const createMigratingController = (options: { readonly meanwhile: boolean }) =>
    controller(Memcached, {
      owns: [ConfigMap, Job],
      reconcile({ object, want }) {
        const { size, secretName: tag = "1" } = object.spec;
        const metadata = { name: `migrate-${size}` };
        const job = Job.desired({
          metadata,
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "m", image: "migrate" }] } } },
        });
        const build = (version: string) => ConfigMap.desired({ metadata: { name: "app" }, data: { version, tag } }).object as never;
        const meanwhile = options.meanwhile ? (live: ConfigMap) => build(live.data?.["version"] ?? "") : undefined;
        return want({ children: { job, app: ConfigMap.desired(build(String(size)), { after: [job], meanwhile }) } });
      },
    });

  async function setup(options: { readonly meanwhile: boolean }) {
    const setup = await setupManager([createMigratingController(options)], { before: (s) => s.put("memcacheds", memcached("a")) });
    const setStatus = async (name: string, status: object) => {
      setup.server.put("jobs", { metadata: { name, namespace: "d" }, status });
      await setup.clock.settle();
    };
    const edit = async (spec: object) => {
      setup.server.put("memcacheds", memcached("a", spec));
      await setup.clock.settle();
    };
    await setStatus("migrate-3", COMPLETE);
    return { ...setup, setStatus, edit, getApp: () => setup.server.get("configmaps", "d", "app")?.["data"] };
  }

  test("RT-70 an update waits for a Job that the same plan creates, and for its completion", async () => {
    const { server, getApp, edit, setStatus } = await setup({ meanwhile: false });
    expect(getApp()).toMatchObject({ version: "3" });
    await edit({ size: 4 });
    expect(server.list("jobs").map((job) => job["metadata"].name)).toEqual(["migrate-4"]);
    expect(getApp()).toMatchObject({ version: "3" });
    await setStatus("migrate-4", { active: 1 });
    expect(getApp()).toMatchObject({ version: "3" });
    await setStatus("migrate-4", COMPLETE);
    expect(getApp()).toMatchObject({ version: "4" });
  });

  test("RT-70 after a Job that failed the child keeps its state, until another Job completes; the log says so once", async () => {
    const { getApp, edit, setStatus, lines, clock } = await setup({ meanwhile: false });
    await edit({ size: 4 });
    await setStatus("migrate-4", FAILED);
    await setStatus("migrate-4", { ...FAILED, failed: 1 });
    await clock.advance(60_000);
    expect(lines.filter(({ message }) => message === "Waiting").map(({ level, plan }) => [level, plan])).toEqual([
      ["info", "wait app ConfigMap d/app (waits for Job d/migrate-4 (failed: BackoffLimitExceeded))"],
    ]);
    await edit({ size: 4, secretName: "2" });
    expect(getApp()).toMatchObject({ version: "3", tag: "1" });
    await edit({ size: 5 });
    await setStatus("migrate-5", COMPLETE);
    expect(getApp()).toMatchObject({ version: "5" });
  });

  test("simulate() orders children, and its last plan says what a child waits for", async () => {
    const simulation = await simulate(createMigratingController({ meanwhile: false }), [
      Memcached.desired({ metadata: { name: "a", namespace: "d" }, spec: { size: 3 } }),
    ]);
    const plan = () => simulation.lastPlan({ name: "a", namespace: "d" })?.map(({ step, name, reason }) => `${step} ${name}: ${reason}`);
    expect(plan()).toEqual(["skip migrate-3: unchanged", "wait app: waits for Job d/migrate-3 (not ready)"]);
    const setStatus = (status: object) =>
      simulation.put(objectFixture(Job, "migrate-3", { metadata: { namespace: "d" }, status } as never));
    await setStatus(FAILED);
    expect(plan()).toContain("wait app: waits for Job d/migrate-3 (failed: BackoffLimitExceeded)");
    expect(simulation.get(ConfigMap, { name: "app", namespace: "d" })).toBeUndefined();
    await setStatus(COMPLETE);
    expect(simulation.get(ConfigMap, { name: "app", namespace: "d" })?.data).toMatchObject({ version: "3" });
  });

  test("`meanwhile` is applied to a child that waits", async () => {
    const { getApp, edit, setStatus } = await setup({ meanwhile: true });
    await edit({ size: 4, secretName: "2" });
    expect(getApp()).toEqual({ version: "3", tag: "2" });
    await setStatus("migrate-4", COMPLETE);
    expect(getApp()).toEqual({ version: "4", tag: "2" });
  });

  test("RT-70 a child is pruned only after the waiting child that replaces it has been created", async () => {
    const op = controller(Memcached, {
      owns: [ConfigMap, Job],
      reconcile({ object, want }) {
        const { size } = object.spec;
        const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "m", image: "migrate" }] } };
        const job = Job.desired({ metadata: { name: `migrate-${size}` }, spec: { template } });
        return want({ children: { job, app: ConfigMap.desired({ metadata: { name: `app-${size}` } }, { after: [job] }) } });
      },
    });
    const { server, clock } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
    const complete = async (name: string) => {
      server.put("jobs", { metadata: { name, namespace: "d" }, status: COMPLETE });
      await clock.settle();
    };
    const names = () => server.list("configmaps").map((each) => each["metadata"].name);
    await complete("migrate-3");
    server.put("memcacheds", memcached("a", { size: 4 }));
    await clock.settle();
    expect(names()).toEqual(["app-3"]);
    await complete("migrate-4");
    expect(names()).toEqual(["app-4"]);
  });
});
