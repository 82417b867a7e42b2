/** Backups, restores and quorum loss, with TLS. */
import { hasCondition } from "pintle/client";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EtcdBackup } from "../../examples/etcd/src/etcd-backup.ts";
import { EtcdCluster, RECOVER_FROM } from "../../examples/etcd/src/etcd-cluster.ts";
import { EtcdRestore } from "../../examples/etcd/src/etcd-restore.ts";
import { LABEL } from "../../examples/etcd/src/members.ts";
import { full } from "../sampling.ts";
import { backends, createEnvironment, type EtcdEnvironment, isSupported, namespace, versions, within } from "./environment.ts";
import type { EtcdWriter } from "./writer.ts";

const ref = { name: "safe", namespace };
const once = { name: "once", namespace };

describe.skipIf(!full || !isSupported).each(backends)("backups, %s", { timeout: 300_000 }, (ground) => {
  let env: EtcdEnvironment;
  let writing: EtcdWriter;
  let saved: number;
  const claims = async () =>
    (await env.client.list(PersistentVolumeClaim, { namespace })).items.map(({ metadata }) => metadata.name).sort();

  beforeAll(async () => {
    env = await createEnvironment({ ground });
    await env.startOperator();
    await env.client.apply(EtcdCluster, { metadata: ref, spec: { size: 3, version: versions.new, tls: true, replaceAfterSeconds: 30 } });
    await env.settled("safe");
    writing = await env.startWriter("safe");
    await writing.progress(20);
  }, within.timeout);
  afterAll(() => env?.stop());

  it("refuses clients without a certificate", async () => {
    const { status } = await env.client.get(Pod, { name: "safe-1", namespace });
    const isServed = (scheme: string) =>
      fetch(`${scheme}://${status.podIP}:2379/version`).then(
        ({ ok }) => ok,
        () => false,
      );
    expect([await isServed("https"), await isServed("http")]).toEqual([false, false]);
  });

  it("takes a backup on demand", async () => {
    await writing.pause();
    saved = writing.acknowledged;
    await env.client.apply(EtcdBackup, { metadata: once, spec: { cluster: "safe" } });
    const { status } = await env.client.waitFor(EtcdBackup, once, hasCondition("Complete"), within);
    writing.resume();
    expect(status?.snapshots).toMatchObject([{ version: versions.new, revision: expect.any(Number) }]);
    expect(status!.snapshots![0]!.revision).toBeGreaterThan(saved);
    await writing.progress(20);
  });

  it("restores a backup into a new cluster", async () => {
    const copy = { name: "copy", namespace };
    await env.client.apply(EtcdRestore, { metadata: copy, spec: { cluster: "copy", backup: "once" } });
    await env.client.apply(EtcdCluster, { metadata: copy, spec: { size: 1, version: versions.new } });
    await env.client.waitFor(EtcdRestore, copy, hasCondition("Complete"), within);
    await env.settled("copy");
    const reading = await env.startWriter("copy");
    await reading.progress(1);
    await env.client.delete(EtcdCluster, copy);
  });

  it("restores a backup into the same cluster", async () => {
    await env.client.apply(EtcdRestore, { metadata: ref, spec: { cluster: "safe", backup: "once" } });
    await env.client.waitFor(EtcdRestore, ref, hasCondition("Complete"), within);
    await writing.pause();
    writing.forget(saved);
    writing.resume();
    const settled = await env.settled("safe");
    expect(settled.status?.members?.map(({ name }) => name)).toEqual(["safe-4", "safe-5", "safe-6"]);
    await writing.progress(20);
    expect((await writing.check()).missing).toEqual([]);
  });

  it("changes nothing when a restore is deleted", async () => {
    await env.client.delete(EtcdRestore, ref);
    await env.client.waitForDeletion(EtcdRestore, ref, within);
    await writing.progress(20);
    expect((await env.settled("safe")).status?.members?.map(({ name }) => name)).toEqual(["safe-4", "safe-5", "safe-6"]);
  });

  it("takes backups on a schedule and retains the newest", async () => {
    const often = { name: "often", namespace };
    await env.client.apply(EtcdBackup, { metadata: often, spec: { cluster: "safe", every: "1s", keep: 2 } });
    const first = await env.client.waitFor(EtcdBackup, often, ({ status }) => status?.count === 1, within);
    const isNewer = ({ status }: EtcdBackup) =>
      status?.count === 2 && status.snapshots?.every(({ name }) => name !== first.status?.latest) === true;
    await env.client.waitFor(EtcdBackup, often, isNewer, within);
    await env.client.patch(EtcdBackup, often, { merge: { spec: { every: null } } });
    const { status } = await env.client.waitFor(
      EtcdBackup,
      often,
      (o) => o.status?.observedGeneration === o.metadata.generation && isNewer(o),
      within,
    );
    for (const gone of (await claims()).filter((name) => name.startsWith("often-") && !status?.snapshots?.some((s) => s.name === name)))
      await env.client.waitForDeletion(PersistentVolumeClaim, { name: gone, namespace }, within);
    await env.client.delete(EtcdBackup, often);
    for (const { name } of status?.snapshots ?? []) await env.client.waitForDeletion(PersistentVolumeClaim, { name, namespace }, within);
  });

  it("does nothing without a quorum until the surviving member is named", async () => {
    await writing.progress(5);
    await writing.pause();
    for (const name of ["safe-4", "safe-5"]) await env.client.delete(PersistentVolumeClaim, { name, namespace });
    for (const name of ["safe-4", "safe-5"]) await env.client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0 });
    const isRefused = (o: EtcdCluster) =>
      o.status?.conditions?.some(({ type, status }) => type === "Available" && status === "False") === true;
    await env.client.waitFor(EtcdCluster, ref, isRefused, within);
    expect(await claims()).toContain("safe-6");
    await env.client.patch(EtcdCluster, ref, { merge: { metadata: { annotations: { [RECOVER_FROM]: "safe-6" } } } });
    await env.settled("safe");
    writing.resume();
    await writing.progress(5);
    // Acknowledged writes reached a majority; the survivor may lack the last ones.
    const { missing, acknowledged } = await writing.check();
    expect(missing.length).toBeLessThan(5);
    expect(acknowledged).toBeGreaterThan(30);
  });

  it("deletes all objects with the cluster", async () => {
    await writing.stop();
    await env.client.delete(EtcdCluster, ref);
    for (const { metadata } of (await env.client.list(Pod, { namespace, labels: { [LABEL]: "safe" } })).items)
      await env.client.waitForDeletion(Pod, metadata, within);
  });
});
