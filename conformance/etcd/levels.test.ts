/** The operator capability levels of the etcd operator on one cluster; the other suites of this folder test each level in depth. */
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Manager } from "pintle";
import { hasCondition, Invalid } from "pintle/client";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { Event } from "pintle/kinds/events/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EtcdBackup } from "../../examples/etcd/src/etcd-backup.ts";
import { EtcdCluster } from "../../examples/etcd/src/etcd-cluster.ts";
import { sendEtcdRequest } from "../../examples/etcd/src/etcd-request.ts";
import { EtcdRestore } from "../../examples/etcd/src/etcd-restore.ts";
import { createGateway } from "../../examples/etcd/src/gateway.ts";
import { listEndpoints } from "../../examples/etcd/src/observe.ts";
import { measureLevel, type Proof } from "../levels/index.ts";
import { isFiring, parseScrape, readRules, type Scrape } from "../levels/rules.ts";
import { full } from "../sampling.ts";
import { backends, createEnvironment, type EtcdEnvironment, isSupported, namespace, versions, within } from "./environment.ts";
import type { EtcdWriter } from "./writer.ts";

const project = fileURLToPath(new URL("../../examples/etcd/", import.meta.url));
const ref = { name: "levels", namespace };
const MIB = 1024 * 1024;

describe.skipIf(!full || !isSupported).each(backends)("the levels of the etcd operator, %s", { timeout: 1_200_000 }, (ground) => {
  let env: EtcdEnvironment;
  let operator: Manager;
  let writing: EtcdWriter;
  const patchSpec = (spec: object) => env.client.patch(EtcdCluster, ref, { merge: { spec } });
  const names = ({ status }: EtcdCluster) => status?.members?.map(({ name }) => name);
  const isDegraded = (wanted: string) => (object: EtcdCluster) =>
    object.status?.conditions?.some(({ type, reason }) => type === "Degraded" && reason === wanted) === true;
  const pods = async () => (await env.client.list(Pod, { namespace, labels: { "etcd.pintle.dev/cluster": "levels" } })).items;
  const endpoints = async () => listEndpoints(await env.client.get(EtcdCluster, ref), await pods());
  const expectNothingLost = async () => {
    await writing.progress(5);
    expect((await writing.check()).missing).toEqual([]);
    expect(writing.unread).toEqual([]);
  };
  async function scrape(): Promise<Scrape> {
    const texts = await Promise.all((await pods()).map(({ status }) => fetch(`http://${status.podIP}:2381/metrics`).then((r) => r.text())));
    return parseScrape(
      [operator.metrics.render(), ...texts.map((text, i) => text.replace(/^(etcd_\w+) /gm, `$1{pod="${i}"} `))].join("\n"),
    );
  }

  beforeAll(async () => {
    env = await createEnvironment({ ground });
    operator = await env.startOperator();
  });
  afterAll(() => env?.stop());

  const proofs: readonly Proof[] = [
    {
      level: 1,
      statement: "one object creates a cluster that is available and serves requests",
      async run() {
        await env.client.apply(EtcdCluster, { metadata: ref, spec: { size: 3, version: versions.old, replaceAfterSeconds: 10 } });
        expect(hasCondition("Available")(await env.settled("levels"))).toBe(true);
        writing = await env.startWriter("levels");
        await writing.progress(5);
      },
    },
    {
      level: 1,
      statement: "every field has a description, and invalid values are refused",
      async run() {
        const { spec } = EtcdCluster.crd() as unknown as {
          readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: CrdSchema } }[] };
        };
        expect(listUndescribedFields(spec.versions[0]!.schema.openAPIV3Schema.properties?.["spec"], "spec")).toEqual([]);
        await expect(patchSpec({ size: 2 })).rejects.toThrow(Invalid);
        await expect(patchSpec({ tls: true })).rejects.toThrow(Invalid);
      },
    },
    {
      level: 1,
      statement: "a changed setting is rolled out to all members without data loss",
      async run() {
        await patchSpec({ quotaMegabytes: 16 });
        await env.settled("levels");
        for (const { spec } of await pods()) expect(spec.containers[0]?.args).toContain(`--quota-backend-bytes=${16 * MIB}`);
        await expectNothingLost();
      },
    },
    {
      level: 2,
      statement: "an upgrade that etcd does not support is refused, and no pod changes",
      async run() {
        const before = (await pods()).map(({ metadata }) => metadata.uid);
        await patchSpec({ version: "3.9.0" });
        await env.client.waitFor(EtcdCluster, ref, isDegraded("UpgradeRefused"), within);
        expect((await pods()).map(({ metadata }) => metadata.uid)).toEqual(before);
      },
    },
    {
      level: 2,
      statement: "an upgrade continues with the next operator when the first one stops during it, without data loss",
      async run() {
        const hasBegun = ({ status }: EtcdCluster) => status?.members?.some(({ version }) => version === versions.new) === true;
        await patchSpec({ version: versions.new });
        await env.client.waitFor(EtcdCluster, ref, hasBegun, within);
        await operator.stop();
        operator = await env.startOperator();
        const { status } = await env.settled("levels");
        expect(status?.members?.map(({ version }) => version)).toEqual([versions.new, versions.new, versions.new]);
        await expectNothingLost();
      },
    },
    {
      level: 3,
      statement: "a cluster scales to five members and back to three, and status matches etcd's member list",
      async run() {
        await patchSpec({ size: 5 });
        await env.settled("levels");
        await patchSpec({ size: 3 });
        const { status } = await env.settled("levels");
        const members = await createGateway({
          call: sendEtcdRequest,
          endpoints: await endpoints(),
          signal: new AbortController().signal,
        }).members();
        expect(members.map(({ name }) => name).sort()).toEqual(status?.members?.map(({ name }) => name));
        await expectNothingLost();
      },
    },
    {
      level: 3,
      statement: "a minority that loses its data is replaced",
      async run() {
        const [victim = ""] = names(await env.client.get(EtcdCluster, ref)) ?? [];
        await env.client.delete(PersistentVolumeClaim, { name: victim, namespace });
        await env.client.delete(Pod, { name: victim, namespace }, { gracePeriodSeconds: 0 });
        await env.settled("levels", (object) => names(object)?.includes(victim) === false);
        await expectNothingLost();
      },
    },
    {
      level: 3,
      statement: "members have probes, resource requests and a PodDisruptionBudget",
      async run() {
        for (const { spec } of await pods())
          for (const { readinessProbe, resources } of spec.containers)
            expect([readinessProbe, resources?.requests]).not.toContain(undefined);
        expect((await env.client.get(PodDisruptionBudget, ref)).spec.maxUnavailable).toBe(1);
      },
    },
    {
      level: 3,
      statement: "a backup survives the deletion of its cluster and is restored",
      async run() {
        await writing.pause();
        await env.client.apply(EtcdBackup, { metadata: ref, spec: { cluster: "levels" } });
        await env.client.waitFor(EtcdBackup, ref, hasCondition("Complete"), within);
        for (const name of names(await env.client.get(EtcdCluster, ref)) ?? []) {
          await env.client.delete(PersistentVolumeClaim, { name, namespace });
          await env.client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0 });
        }
        await env.client.waitFor(EtcdCluster, ref, isDegraded("DataLost"), within);
        await env.client.apply(EtcdRestore, { metadata: ref, spec: { cluster: "levels", backup: "levels" } });
        await env.client.waitFor(EtcdRestore, ref, hasCondition("Complete"), within);
        await env.settled("levels");
        writing.resume();
        await expectNothingLost();
      },
    },
    {
      level: 4,
      statement: "every alert has a severity, an existing runbook, and an expression over exported metrics",
      async run() {
        const now = await scrape();
        for (const rule of readRules(`${project}config/monitoring/alerts.yaml`)) {
          expect(["critical", "warning"]).toContain(rule.severity);
          expect(existsSync(project + rule.runbook), rule.runbook).toBe(true);
          if (!rule.expr.includes("reconcile_errors")) expect(isFiring(rule, now, now), rule.alert).toBe(false);
        }
      },
    },
    {
      level: 4,
      statement: "an alert fires and the condition changes when a majority hangs, and both recover",
      async run() {
        const rule = readRules(`${project}config/monitoring/alerts.yaml`).find(({ alert }) => alert === "EtcdNoLeader")!;
        await patchSpec({ replaceAfterSeconds: 5 });
        const [one = "", two = ""] = names(await env.client.get(EtcdCluster, ref)) ?? [];
        const { faults } = env.node;
        for (const pod of [one, two]) faults.pause({ namespace, pod });
        await env.client.waitFor(EtcdCluster, ref, isDegraded("QuorumLost"), within);
        const [alone] = (await pods()).filter(({ metadata }) => metadata.name !== one && metadata.name !== two);
        const scrapeMember = async () => parseScrape(await fetch(`http://${alone!.status.podIP}:2381/metrics`).then((r) => r.text()));
        while (!isFiring(rule, await scrapeMember(), new Map())) await delay(200);
        for (const pod of [one, two]) faults.resume({ namespace, pod });
        await patchSpec({ replaceAfterSeconds: 60 });
        await env.settled("levels");
        await expectNothingLost();
      },
    },
    {
      level: 4,
      statement: "operations are recorded as Events, in a bounded number",
      async run() {
        const events = (await env.client.list(Event, { namespace })).items.filter(({ regarding }) => regarding?.name === "levels");
        const notes = events.map(({ note = "" }) => note).join("\n");
        for (const word of ["joins as a learner", "votes now", "is removed", "goes from"]) expect(notes).toContain(word);
        expect(events.length).toBeLessThan(200);
      },
    },
    {
      level: 5,
      statement: "a database at its quota is compacted and writes continue without manual action",
      async run() {
        const { generation } = (await env.client.get(EtcdCluster, ref)).metadata;
        await writing.pause();
        const value = Buffer.alloc(MIB, "x").toString("base64");
        const put = async () => {
          const [endpoint] = await endpoints();
          const body = { key: Buffer.from("large").toString("base64"), value };
          return (
            await sendEtcdRequest({ endpoint: endpoint!, path: "kv/put", body, timeoutMs: 30_000, signal: new AbortController().signal })
          ).ok;
        };
        while (await put());
        while (!(await put())) await delay(200);
        expect((await env.client.get(EtcdCluster, ref)).metadata.generation).toBe(generation);
        writing.resume();
        await expectNothingLost();
      },
    },
    {
      level: 5,
      statement: "a member that hangs is replaced without manual action",
      async run() {
        await patchSpec({ replaceAfterSeconds: 5 });
        const settled = await env.settled("levels");
        const [victim = ""] = names(settled) ?? [];
        env.node.faults.pause({ namespace, pod: victim });
        await env.settled("levels", (object) => names(object)?.includes(victim) === false);
        await expectNothingLost();
      },
    },
  ];

  it("reaches level V", async () => {
    const verdict = await measureLevel("etcd", proofs);
    console.log(verdict.text);
    expect(verdict.missing).toEqual([]);
    expect(verdict.reached).toBe(5);
  });
});

interface CrdSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, CrdSchema>>;
}
function listUndescribedFields(schema: CrdSchema | undefined, at: string): readonly string[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, child]) => [
    ...(child.description === undefined ? [`${at}.${name}`] : []),
    ...listUndescribedFields(child, `${at}.${name}`),
  ]);
}
