import { controller, createLogger, defineResource, keepLast, startManager, z } from "pintle";
import { allow, type Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Job } from "pintle/kinds/batch/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EMBEDDED_SERVER, install, REAL_SERVER, type RuntimeServer } from "./servers.ts";

const Report = defineResource({
  group: "history.example.com",
  version: "v1",
  kind: "Report",
  spec: z.object({ run: z.int32(), keep: z.int32().default(2), replicas: z.int32().default(1) }),
});

/** A Job per run with a history, a Deployment whose image follows the last run, and a ConfigMap created by hand. */
const report = controller(Report, {
  owns: [Job, Deployment, ConfigMap],
  needs: [allow(ConfigMap, "create")],
  async reconcile({ object, owned, client, want, withOwner }) {
    const { run, keep, replicas } = object.spec;
    if (owned(ConfigMap).list().length === 0)
      await client.create(ConfigMap, withOwner(ConfigMap, { metadata: { generateName: "token-" }, data: { run: `${run}` } }));
    const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "run", image: `run:${run}` }] } };
    const job = Job.desired({ metadata: { name: `run-${run}` }, spec: { suspend: true, template } });
    const deploymentBody = (image: string) => ({
      metadata: { name: "web" },
      spec: {
        replicas,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } },
      },
    });
    const web = Deployment.desired(deploymentBody(`run:${run}`), {
      after: [job],
      meanwhile: (live) => deploymentBody(live.spec.template.spec?.containers[0]?.image ?? ""),
    });
    return want({ children: { runs: keepLast(keep, Job, job), web } });
  },
});

describe.each([REAL_SERVER, EMBEDDED_SERVER])("history on %s", (_, begin) => {
  let server: RuntimeServer;
  let client: Client;
  let manager: ReturnType<typeof startManager>;
  const ref = { name: "a", namespace: "default" };
  beforeAll(async () => {
    server = await begin();
    client = await server.connect();
    await install(client, Report);
    manager = startManager({ controllers: [report], client: await server.connect(), logger: createLogger({ write: () => {} }) });
    await manager.ready;
  });
  afterAll(async () => {
    await manager?.stop();
    await client?.close();
    await server?.stop();
  });

  const within = { timeout: 20_000 };
  const now = "2026-01-01T00:00:00Z";
  const setSpec = (spec: object) => client.patch(Report, ref, { merge: { spec } });
  const jobNames = async () => (await client.list(Job, { namespace: "default" })).items.map(({ metadata }) => metadata.name).sort();
  const webOf = async () => {
    const web = await client.find(Deployment, { name: "web", namespace: "default" });
    return web && [web.spec.replicas, web.spec.template.spec?.containers[0]?.image];
  };
  /** The Jobs are suspended, so that the test decides how they end. */
  const finish = async (run: number, [first, last, reason]: readonly [string, string, string]) => {
    const at = { name: `run-${run}`, namespace: "default" };
    await client.waitFor(Job, at, () => true, within);
    const conditions = [first, last].map((type) => ({
      type,
      status: "True",
      reason,
      message: "",
      lastTransitionTime: now,
      lastProbeTime: now,
    }));
    const counts = last === "Complete" ? { succeeded: 1, completionTime: now } : { failed: 1 };
    await client.status.patch(Job, at, { merge: { status: { startTime: now, ...counts, conditions } } });
  };
  const COMPLETE = ["SuccessCriteriaMet", "Complete", "CompletionsReached"] as const;
  const FAILED = ["FailureTarget", "Failed", "BackoffLimitExceeded"] as const;

  test("keepLast keeps the last finished Jobs; withOwner links an object created by hand", async () => {
    await client.create(Report, { metadata: ref, spec: { run: 1 } });
    for (const run of [1, 2, 3]) {
      await finish(run, run === 2 ? FAILED : COMPLETE);
      await setSpec({ run: run + 1 });
    }
    await expect.poll(jobNames, within).toEqual(["run-2", "run-3", "run-4"]);
    await setSpec({ keep: 0 });
    await expect.poll(jobNames, within).toEqual(["run-4"]);
    const { items } = await client.list(ConfigMap, { namespace: "default" });
    const tokens = items.filter(({ metadata }) => metadata.generateName === "token-");
    expect(tokens.map(({ metadata }) => metadata.ownerReferences)).toMatchObject([[{ kind: "Report", name: "a", controller: true }]]);
  });

  test("replicas of a Deployment change while its image waits for a Job, and a failed Job stops the image for good", async () => {
    await finish(4, COMPLETE);
    await expect.poll(webOf, within).toEqual([1, "run:4"]);
    await setSpec({ run: 5 });
    await finish(5, FAILED);
    await setSpec({ replicas: 3 });
    await expect.poll(webOf, within).toEqual([3, "run:4"]);
    await setSpec({ run: 6, replicas: 2 });
    await expect.poll(webOf, within).toEqual([2, "run:4"]);
    await finish(6, COMPLETE);
    await expect.poll(webOf, within).toEqual([2, "run:6"]);
  });
});
