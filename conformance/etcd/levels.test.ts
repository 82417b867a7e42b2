/** How far the etcd operator goes, level by level, on one cluster; each proof is short, the suites beside this one are thorough. */
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Manager } from "pintle";
import { condition, Invalid } from "pintle/client";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { Event } from "pintle/kinds/events/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../examples/etcd/src/call.ts";
import { EtcdBackup } from "../../examples/etcd/src/etcd-backup.ts";
import { EtcdCluster } from "../../examples/etcd/src/etcd-cluster.ts";
import { EtcdRestore } from "../../examples/etcd/src/etcd-restore.ts";
import { gateway } from "../../examples/etcd/src/gateway.ts";
import { endpointsOf } from "../../examples/etcd/src/observe.ts";
import { levelOf, type Proof } from "../levels/index.ts";
import { fires, rulesOf, type Scrape, scrapeOf } from "../levels/rules.ts";
import { full } from "../sampling.ts";
import { grounds, isPossible, namespace, type Stage, stage, versions, within } from "./stage.ts";
import type { Writer } from "./writer.ts";

const project = fileURLToPath(new URL("../../examples/etcd/", import.meta.url));
const ref = { name: "levels", namespace };
const MIB = 1024 * 1024;

describe.skipIf(!full || !isPossible).each(grounds)("the levels of the etcd operator, %s", { timeout: 1_200_000 }, (ground) => {
  let on: Stage;
  let operator: Manager;
  let writing: Writer;
  const change = (spec: object) => on.client.patch(EtcdCluster, ref, { merge: { spec } });
  const names = ({ status }: EtcdCluster) => status?.members?.map(({ name }) => name);
  const degraded = (wanted: string) => (object: EtcdCluster) =>
    object.status?.conditions?.some(({ type, reason }) => type === "Degraded" && reason === wanted) === true;
  const pods = async () => (await on.client.list(Pod, { namespace, labels: { "etcd.pintle.dev/cluster": "levels" } })).items;
  const endpoints = async () => endpointsOf(await on.client.get(EtcdCluster, ref), await pods());
  const nothingLost = async () => {
    await writing.progress(5);
    expect((await writing.check()).missing).toEqual([]);
    expect(writing.unread).toEqual([]);
  };
  async function scrape(): Promise<Scrape> {
    const texts = await Promise.all((await pods()).map(({ status }) => fetch(`http://${status.podIP}:2381/metrics`).then((r) => r.text())));
    return scrapeOf([operator.metrics.text(), ...texts.map((text, i) => text.replace(/^(etcd_\w+) /gm, `$1{pod="${i}"} `))].join("\n"));
  }

  beforeAll(async () => {
    on = await stage({ ground });
    operator = await on.operate();
  });
  afterAll(() => on?.stop());

  const proofs: readonly Proof[] = [
    {
      level: 1,
      shows: "one object makes a cluster that is available and answers",
      async run() {
        await on.client.apply(EtcdCluster, { metadata: ref, spec: { size: 3, version: versions.old, replaceAfterSeconds: 10 } });
        expect(condition("Available")(await on.settled("levels"))).toBe(true);
        writing = await on.write("levels");
        await writing.progress(5);
      },
    },
    {
      level: 1,
      shows: "every field says what it is for, and wrong values are refused",
      async run() {
        const { spec } = EtcdCluster.crd() as unknown as {
          readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[] };
        };
        expect(undescribed(spec.versions[0]!.schema.openAPIV3Schema.properties?.["spec"], "spec")).toEqual([]);
        await expect(change({ size: 2 })).rejects.toThrow(Invalid);
        await expect(change({ tls: true })).rejects.toThrow(Invalid);
      },
    },
    {
      level: 1,
      shows: "a changed setting reaches all members, and nothing is lost",
      async run() {
        await change({ quotaMegabytes: 16 });
        await on.settled("levels");
        for (const { spec } of await pods()) expect(spec.containers[0]?.args).toContain(`--quota-backend-bytes=${16 * MIB}`);
        await nothingLost();
      },
    },
    {
      level: 2,
      shows: "an upgrade that etcd does not support is refused, and nothing is touched",
      async run() {
        const before = (await pods()).map(({ metadata }) => metadata.uid);
        await change({ version: "3.9.0" });
        await on.client.wait(EtcdCluster, ref, degraded("UpgradeRefused"), within);
        expect((await pods()).map(({ metadata }) => metadata.uid)).toEqual(before);
      },
    },
    {
      level: 2,
      shows: "an upgrade goes on with the next operator when the first one ends in the midst of it, and nothing is lost",
      async run() {
        const isBegun = ({ status }: EtcdCluster) => status?.members?.some(({ version }) => version === versions.new) === true;
        await change({ version: versions.new });
        await on.client.wait(EtcdCluster, ref, isBegun, within);
        await operator.stop();
        operator = await on.operate();
        const { status } = await on.settled("levels");
        expect(status?.members?.map(({ version }) => version)).toEqual([versions.new, versions.new, versions.new]);
        await nothingLost();
      },
    },
    {
      level: 3,
      shows: "one grows to five and shrinks to three, with members as in etcd's own list",
      async run() {
        await change({ size: 5 });
        await on.settled("levels");
        await change({ size: 3 });
        const { status } = await on.settled("levels");
        const members = await gateway({ call, endpoints: await endpoints(), signal: new AbortController().signal }).members();
        expect(members.map(({ name }) => name).sort()).toEqual(status?.members?.map(({ name }) => name));
        await nothingLost();
      },
    },
    {
      level: 3,
      shows: "a minority that loses its data is replaced",
      async run() {
        const [victim = ""] = names(await on.client.get(EtcdCluster, ref)) ?? [];
        await on.client.delete(PersistentVolumeClaim, { name: victim, namespace });
        await on.client.delete(Pod, { name: victim, namespace }, { gracePeriodSeconds: 0 });
        await on.settled("levels", (object) => names(object)?.includes(victim) === false);
        await nothingLost();
      },
    },
    {
      level: 3,
      shows: "members have probes, requests and a budget for disruptions",
      async run() {
        for (const { spec } of await pods())
          for (const { readinessProbe, resources } of spec.containers)
            expect([readinessProbe, resources?.requests]).not.toContain(undefined);
        expect((await on.client.get(PodDisruptionBudget, ref)).spec.maxUnavailable).toBe(1);
      },
    },
    {
      level: 3,
      shows: "a backup outlives a destroyed cluster, and is restored",
      async run() {
        await writing.pause();
        await on.client.apply(EtcdBackup, { metadata: ref, spec: { cluster: "levels" } });
        await on.client.wait(EtcdBackup, ref, condition("Complete"), within);
        for (const name of names(await on.client.get(EtcdCluster, ref)) ?? []) {
          await on.client.delete(PersistentVolumeClaim, { name, namespace });
          await on.client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0 });
        }
        await on.client.wait(EtcdCluster, ref, degraded("DataLost"), within);
        await on.client.apply(EtcdRestore, { metadata: ref, spec: { cluster: "levels", backup: "levels" } });
        await on.client.wait(EtcdRestore, ref, condition("Complete"), within);
        await on.settled("levels");
        writing.resume();
        await nothingLost();
      },
    },
    {
      level: 4,
      shows: "every alert has a severity, a runbook that exists, and an expression over what is told",
      async run() {
        const now = await scrape();
        for (const rule of rulesOf(`${project}config/monitoring/alerts.yaml`)) {
          expect(["critical", "warning"]).toContain(rule.severity);
          expect(existsSync(project + rule.runbook), rule.runbook).toBe(true);
          if (!rule.expr.includes("reconcile_errors")) expect(fires(rule, now, now), rule.alert).toBe(false);
        }
      },
    },
    {
      level: 4,
      shows: "an alert fires when a majority hangs, the condition says so, and all is well afterwards",
      async run() {
        const rule = rulesOf(`${project}config/monitoring/alerts.yaml`).find(({ alert }) => alert === "EtcdNoLeader")!;
        await change({ replaceAfterSeconds: 5 });
        const [one = "", two = ""] = names(await on.client.get(EtcdCluster, ref)) ?? [];
        const { faults } = on.node;
        for (const pod of [one, two]) faults.hang({ namespace, pod });
        await on.client.wait(EtcdCluster, ref, degraded("QuorumLost"), within);
        const [alone] = (await pods()).filter(({ metadata }) => metadata.name !== one && metadata.name !== two);
        const told = async () => scrapeOf(await fetch(`http://${alone!.status.podIP}:2381/metrics`).then((r) => r.text()));
        while (!fires(rule, await told(), new Map())) await delay(200);
        for (const pod of [one, two]) faults.resume({ namespace, pod });
        await change({ replaceAfterSeconds: 60 });
        await on.settled("levels");
        await nothingLost();
      },
    },
    {
      level: 4,
      shows: "what was done is told by Events, without a flood",
      async run() {
        const events = (await on.client.list(Event, { namespace })).items.filter(({ regarding }) => regarding?.name === "levels");
        const notes = events.map(({ note = "" }) => note).join("\n");
        for (const word of ["joins as a learner", "votes now", "is removed", "goes from"]) expect(notes).toContain(word);
        expect(events.length).toBeLessThan(200);
      },
    },
    {
      level: 5,
      shows: "a full database is emptied and writes go on, without anybody's doing",
      async run() {
        const { generation } = (await on.client.get(EtcdCluster, ref)).metadata;
        await writing.pause();
        const value = Buffer.alloc(MIB, "x").toString("base64");
        const put = async () => {
          const [endpoint] = await endpoints();
          const body = { key: Buffer.from("large").toString("base64"), value };
          return (await call({ endpoint: endpoint!, path: "kv/put", body, patience: 30_000, signal: new AbortController().signal })).ok;
        };
        while (await put());
        while (!(await put())) await delay(200);
        expect((await on.client.get(EtcdCluster, ref)).metadata.generation).toBe(generation);
        writing.resume();
        await nothingLost();
      },
    },
    {
      level: 5,
      shows: "a member that hangs is replaced, without anybody's doing",
      async run() {
        await change({ replaceAfterSeconds: 5 });
        const settled = await on.settled("levels");
        const [victim = ""] = names(settled) ?? [];
        on.node.faults.hang({ namespace, pod: victim });
        await on.settled("levels", (object) => names(object)?.includes(victim) === false);
        await nothingLost();
      },
    },
  ];

  it("is the fifth", async () => {
    const verdict = await levelOf("etcd", proofs);
    console.log(verdict.text);
    expect(verdict.missing).toEqual([]);
    expect(verdict.reached).toBe(5);
  });
});

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
function undescribed(schema: Schema | undefined, at: string): readonly string[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, child]) => [
    ...(child.description === undefined ? [`${at}.${name}`] : []),
    ...undescribed(child, `${at}.${name}`),
  ]);
}
