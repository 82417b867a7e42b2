import { randomUUID } from "node:crypto";
import { controller, createLogger, defineResource, failed, startManager, z } from "pintle";
import type { Client } from "pintle/client";
import { Job } from "pintle/kinds/batch/v1";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { Event } from "pintle/kinds/events/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EMBEDDED_SERVER, install, REAL_SERVER, type RuntimeServer } from "./servers.ts";

const Website = defineResource({
  group: "authoring.example.com",
  version: "v1",
  kind: "Website",
  spec: z.object({ version: z.string(), quota: z.boolean().default(true), name: z.string().default("site") }),
  conditions: ["Ready", "Funded"],
});

/** A website whose configuration must not be rolled out before the migration to its version. */
const website = controller(Website, {
  owns: [Job, ConfigMap, Secret],
  reconcile({ object, want }) {
    const { version, quota, name } = object.spec;
    const conditions = { Funded: { status: false, reason: "NoQuota" } };
    if (!quota) throw failed("QuotaExceeded", "no quota left", { cause: new Error("limit is 3"), conditions });
    const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "migrate", image: `site:${version}` }] } };
    const migration = Job.desired({ metadata: { name: `migrate-${version}` }, spec: { suspend: true, template } });
    const site = ConfigMap.desired({ metadata: { name }, data: { version } }, { after: [migration] });
    const password = Secret.desired({ metadata: { name: "password" }, data: { value: btoa(randomUUID()) } }, { create: "once" });
    const backup = ConfigMap.desired({ metadata: { name: "backup" }, data: { version } }, { keep: "on-delete" });
    return want({ children: { migration, site, password, backup }, conditions: { Ready: { status: true, reason: "Deployed" } } });
  },
});

const Bucket = defineResource({
  group: "authoring.example.com",
  version: "v1",
  kind: "Bucket",
  spec: z.object({}),
  conditions: ["Ready", "Empty"],
});

/** What the finalizer of buckets does next, and whether its children are contested. */
let drained: "no" | "pending" | "yes" = "no";

const bucket = controller(Bucket, {
  owns: [ConfigMap],
  reconcile({ object, want }) {
    if (object.metadata.name === "unpaid") throw failed("Unpaid", "the invoice is open");
    return want({ children: { keys: ConfigMap.desired({ metadata: { name: `${object.metadata.name}-keys` } }) } });
  },
  finalize() {
    const conditions = { Empty: { status: false, reason: drained === "no" ? "InUse" : "Draining", message: "3 objects left" } };
    if (drained === "no") throw failed("NotEmpty", "the bucket is not empty", { cause: new Error("HTTP 409"), conditions });
    if (drained === "pending") return { requeueAfter: "1s", conditions };
    return undefined;
  },
});

describe.each([REAL_SERVER, EMBEDDED_SERVER])("authoring on %s", (_, begin) => {
  let server: RuntimeServer;
  let client: Client;
  let manager: ReturnType<typeof startManager>;
  const ref = { name: "a", namespace: "default" };
  beforeAll(async () => {
    server = await begin();
    client = await server.connect();
    await install(client, Website);
    await install(client, Bucket);
    manager = await startOperator();
  });
  const startOperator = async () => {
    const logger = createLogger({ write: () => {} });
    const started = startManager({ controllers: [website, bucket], client: await server.connect(), logger });
    await started.ready;
    return started;
  };
  afterAll(async () => {
    await manager?.stop();
    await client?.close();
    await server?.stop();
  });

  const within = { timeout: 20_000 };
  const versionOf = async () => (await client.find(ConfigMap, { name: "site", namespace: "default" }))?.data?.["version"];
  const setSpec = (spec: object) => client.patch(Website, ref, { merge: { spec } });
  const readyOf = async () => (await client.get(Website, ref)).status?.conditions?.find(({ type }) => type === "Ready");
  const now = "2026-01-01T00:00:00Z";
  const times = { startTime: now, completionTime: now };
  const condition = (type: string, reason: string) => ({
    type,
    status: "True",
    reason,
    message: "",
    lastTransitionTime: now,
    lastProbeTime: now,
  });
  /** The Job is suspended, so that the test decides how it ends. */
  const complete = (version: string) =>
    client.status.patch(
      Job,
      { name: `migrate-${version}`, namespace: "default" },
      {
        merge: {
          status: {
            ...times,
            succeeded: 1,
            conditions: [condition("SuccessCriteriaMet", "CompletionsReached"), condition("Complete", "CompletionsReached")],
          },
        },
      },
    );
  const fail = (version: string) =>
    client.status.patch(
      Job,
      { name: `migrate-${version}`, namespace: "default" },
      {
        merge: {
          status: {
            startTime: now,
            failed: 1,
            conditions: [condition("FailureTarget", "BackoffLimitExceeded"), condition("Failed", "BackoffLimitExceeded")],
          },
        },
      },
    );
  const waitForJob = (version: string) => client.waitFor(Job, { name: `migrate-${version}`, namespace: "default" }, () => true, within);

  test("RT-70 a roll-out waits for the migration that the same plan creates, and a failed one stops it", async () => {
    await client.create(Website, { metadata: ref, spec: { version: "1" } });
    await waitForJob("1");
    expect(await versionOf()).toBeUndefined();
    await complete("1");
    await expect.poll(versionOf, within).toBe("1");
    const password = await client.get(Secret, { name: "password", namespace: "default" });

    await setSpec({ version: "2" });
    await waitForJob("2");
    await fail("2");
    await client.waitFor(Website, ref, ({ status, metadata }) => status?.observedGeneration === metadata.generation, within);
    expect(await versionOf()).toBe("1");
    await client.patch(ConfigMap, { name: "site", namespace: "default" }, { merge: { data: { version: "edited" } } });

    await setSpec({ version: "3" });
    await waitForJob("3");
    expect(await versionOf()).toBe("edited");
    await complete("3");
    await expect.poll(versionOf, within).toBe("3");
    // Each pass generates another one; only the first is written.
    expect(await client.get(Secret, { name: "password", namespace: "default" })).toEqual(password);
  });

  test("a thrown error and a refused child make Ready False with the cause; success makes it True again", async () => {
    await setSpec({ quota: false });
    await expect.poll(readyOf, within).toMatchObject({
      status: "False",
      reason: "QuotaExceeded",
      message: "website: reconcile failed: no quota left: limit is 3",
      observedGeneration: (await client.get(Website, ref)).metadata.generation,
    });
    expect((await client.get(Website, ref)).status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Funded", status: "False", reason: "NoQuota" }),
    );
    await setSpec({ quota: true });
    await expect.poll(readyOf, within).toMatchObject({ status: "True", reason: "Deployed" });

    await setSpec({ name: "Not_A_Name" });
    await expect
      .poll(readyOf, within)
      .toMatchObject({ status: "False", reason: "ReconcileFailed", message: expect.stringContaining("Not_A_Name") });
    await setSpec({ name: "site" });
    await expect.poll(readyOf, within).toMatchObject({ status: "True" });
  });

  test("a child with keep survives its owner, and the next owner of the name finds it", async () => {
    const backup = { name: "backup", namespace: "default" };
    const { metadata } = await client.get(ConfigMap, backup);
    expect(metadata.ownerReferences).toBeUndefined();
    await client.delete(Website, ref);
    // kube-controller-manager looks for new kinds every 30 s, and collects nothing of theirs before.
    for (const name of ["password", "site"])
      await client.waitForDeletion(name === "site" ? ConfigMap : Secret, { name, namespace: "default" }, { timeout: 90_000 });
    expect((await client.get(ConfigMap, backup)).metadata.uid).toBe(metadata.uid);
    await client.create(Website, { metadata: ref, spec: { version: "4" } });
    const found = await client.waitFor(ConfigMap, backup, ({ data }) => data?.["version"] === "4", within);
    expect(found.metadata.uid).toBe(metadata.uid);
  }, 120_000);

  const conditionOf = async (name: string, type: string) =>
    (await client.get(Bucket, { name, namespace: "default" })).status?.conditions?.find((each) => each.type === type);
  const eventsOf = async (name: string, reason: string) =>
    (await client.list(Event, { namespace: "default" })).items.filter((event) => event.regarding?.name === name && event.reason === reason);

  test("a failing finalize reports Ready and its own conditions, then those of a pending finalization, until the object is gone", async () => {
    drained = "no";
    await client.create(Bucket, { metadata: { name: "full", namespace: "default" }, spec: {} });
    await client.waitFor(Bucket, { name: "full", namespace: "default" }, ({ metadata }) => (metadata.finalizers ?? []).length > 0, within);
    await client.delete(Bucket, { name: "full", namespace: "default" });
    const { generation } = (await client.get(Bucket, { name: "full", namespace: "default" })).metadata;
    await expect
      .poll(() => conditionOf("full", "Ready"), within)
      .toMatchObject({
        status: "False",
        reason: "NotEmpty",
        message: "bucket: finalize failed: the bucket is not empty: HTTP 409",
        observedGeneration: generation,
      });
    expect(await conditionOf("full", "Empty")).toMatchObject({ status: "False", reason: "InUse", message: "3 objects left" });
    await expect
      .poll(async () => (await eventsOf("full", "NotEmpty")).map(({ note }) => note), within)
      .toEqual(["bucket: finalize failed: the bucket is not empty: HTTP 409"]);
    drained = "pending";
    await expect.poll(() => conditionOf("full", "Empty"), within).toMatchObject({ reason: "Draining" });
    expect(await conditionOf("full", "Ready")).toBeUndefined();
    drained = "yes";
    await client.waitForDeletion(Bucket, { name: "full", namespace: "default" }, within);
  });

  test("after a restart of the operator a failure that goes on is counted in the same Event", async () => {
    await client.create(Bucket, { metadata: { name: "unpaid", namespace: "default" }, spec: {} });
    const counts = async () => (await eventsOf("unpaid", "Unpaid")).map(({ series }) => series?.count ?? 1);
    await expect.poll(counts, within).toEqual([1]);
    for (const count of [2, 3]) {
      await manager.stop();
      manager = await startOperator();
      await expect.poll(counts, within).toEqual([count]);
    }
  });

  test("a child that another client keeps deleting is created with backoff, and Conflict says so", async () => {
    const keys = { name: "shared-keys", namespace: "default" };
    await client.create(Bucket, { metadata: { name: "shared", namespace: "default" }, spec: {} });
    for (let deletes = 0; deletes < 6; deletes++) {
      await client.waitFor(ConfigMap, keys, () => true, within);
      await client.delete(ConfigMap, keys);
    }
    await expect
      .poll(() => conditionOf("shared", "Conflict"), within)
      .toMatchObject({
        status: "True",
        reason: "ChildrenContested",
        message:
          'bucket: conflict: another client keeps deleting ConfigMap default/shared-keys, which this controller creates as field manager "bucket"',
      });
    await expect.poll(() => eventsOf("shared", "Conflict"), within).toHaveLength(1);
    expect(await client.find(ConfigMap, keys)).toBeUndefined();
    await client.waitFor(ConfigMap, keys, () => true, within);
  });
});
