/** The operator crashes after each write to the API server or to etcd, and another one continues. */
import { hasCondition } from "pintle/client";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backupController } from "../../examples/etcd/src/backup-controller.ts";
import { etcdController } from "../../examples/etcd/src/cluster-controller.ts";
import { EtcdBackup } from "../../examples/etcd/src/etcd-backup.ts";
import { EtcdCluster } from "../../examples/etcd/src/etcd-cluster.ts";
import { EtcdRestore } from "../../examples/etcd/src/etcd-restore.ts";
import { restore } from "../../examples/etcd/src/restore-controller.ts";
import { full } from "../sampling.ts";
import { crashAfterFirstWrite } from "./crashing-operator.ts";
import { backends, createEnvironment, type EtcdEnvironment, isSupported, namespace, versions, within } from "./environment.ts";
import type { EtcdWriter } from "./writer.ts";

const ref = { name: "tough", namespace };

describe.skipIf(!full || !isSupported).each(backends)("an operator that crashes after every write, %s", { timeout: 600_000 }, (ground) => {
  let env: EtcdEnvironment;
  let writing: EtcdWriter;
  const deaths: string[] = [];
  const names = ({ status }: EtcdCluster) => status?.members?.map(({ name }) => name);
  const change = (spec: object) => env.client.patch(EtcdCluster, ref, { merge: { spec } });

  /** Restarts the crashing operator until the promise resolves. */
  async function until(wanted: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = wanted.then(() => {
      isDone = true;
    });
    while (!isDone) {
      const { client, call, crashed } = crashAfterFirstWrite(env.transport);
      const manager = await env.startOperator([etcdController(call), backupController(call), restore], client, "10ms");
      await Promise.race([crashed.then((last) => deaths.push(last)), done]);
      await manager.stop();
    }
  }

  beforeAll(async () => {
    env = await createEnvironment({ ground });
  });
  afterAll(() => env?.stop());

  it("creates a cluster of three members", async () => {
    await env.client.apply(EtcdCluster, { metadata: ref, spec: { size: 1, version: versions.old, replaceAfterSeconds: 30 } });
    await until(env.settled("tough"));
    writing = await env.startWriter("tough");
    await change({ size: 3 });
    await until(env.settled("tough"));
    await writing.progress(5);
  });

  it("upgrades the cluster", async () => {
    await change({ version: versions.new });
    await until(env.settled("tough", ({ status }) => status?.members?.every(({ version }) => version === versions.new) === true));
    await writing.progress(5);
  });

  it("replaces a member that lost its volume", async () => {
    const [victim = ""] = names(await env.client.get(EtcdCluster, ref)) ?? [];
    await env.client.delete(PersistentVolumeClaim, { name: victim, namespace });
    await env.client.delete(Pod, { name: victim, namespace }, { gracePeriodSeconds: 0 });
    await until(env.settled("tough", (object) => names(object)?.includes(victim) === false));
    await writing.progress(5);
  });

  it("scales the cluster to five members and back to three", async () => {
    await change({ size: 5 });
    await until(env.settled("tough"));
    await change({ size: 3 });
    await until(env.settled("tough"));
    await writing.progress(5);
    expect((await writing.check()).missing).toEqual([]);
  });

  it("takes a backup and restores it", async () => {
    await writing.pause();
    const saved = writing.acknowledged;
    await env.client.apply(EtcdBackup, { metadata: ref, spec: { cluster: "tough" } });
    await until(env.client.waitFor(EtcdBackup, ref, hasCondition("Complete"), within));
    await env.client.apply(EtcdRestore, { metadata: ref, spec: { cluster: "tough", backup: "tough" } });
    await until(env.client.waitFor(EtcdRestore, ref, hasCondition("Complete"), within));
    await until(env.settled("tough"));
    writing.resume();
    await writing.progress(5);
    expect(writing.acknowledged).toBeGreaterThan(saved);
    expect((await writing.check()).missing).toEqual([]);
    expect(writing.unread).toEqual([]);
  });

  it("crashed after writes to etcd and to the API server", () => {
    console.log(`the operator died ${deaths.length} times`);
    expect(deaths.length).toBeGreaterThan(50);
    for (const last of ["member/add", "member/promote", "member/remove", "/persistentvolumeclaims/", "/pods/", "/jobs/", "/status"])
      expect(
        deaths.some((death) => death.includes(last)),
        last,
      ).toBe(true);
  });
});
