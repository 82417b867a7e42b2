/** Backups and restores, and what is left when a quorum is lost. With TLS, so that all of it is seen to work there. */
import { condition } from "pintle/client";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EtcdBackup } from "../../examples/etcd/src/etcd-backup.ts";
import { EtcdCluster, RECOVER_FROM } from "../../examples/etcd/src/etcd-cluster.ts";
import { EtcdRestore } from "../../examples/etcd/src/etcd-restore.ts";
import { LABEL } from "../../examples/etcd/src/members.ts";
import { full } from "../sampling.ts";
import { grounds, isPossible, namespace, type Stage, stage, versions, within } from "./stage.ts";
import type { Writer } from "./writer.ts";

const ref = { name: "safe", namespace };
const once = { name: "once", namespace };

describe.skipIf(!full || !isPossible).each(grounds)("backups, %s", { timeout: 300_000 }, (ground) => {
  let on: Stage;
  let writing: Writer;
  let saved: number;
  const claims = async () => (await on.client.list(PersistentVolumeClaim, { namespace })).items.map(({ metadata }) => metadata.name).sort();

  beforeAll(async () => {
    on = await stage({ ground });
    await on.operate();
    await on.client.apply(EtcdCluster, { metadata: ref, spec: { size: 3, version: versions.new, tls: true, replaceAfterSeconds: 30 } });
    await on.settled("safe");
    writing = await on.write("safe");
    await writing.progress(20);
  }, within.timeout);
  afterAll(() => on?.stop());

  it("nobody gets in without a certificate", async () => {
    const { status } = await on.client.get(Pod, { name: "safe-1", namespace });
    const isServed = (scheme: string) =>
      fetch(`${scheme}://${status.podIP}:2379/version`).then(
        ({ ok }) => ok,
        () => false,
      );
    expect([await isServed("https"), await isServed("http")]).toEqual([false, false]);
  });

  it("one is taken on demand", async () => {
    await writing.pause();
    saved = writing.acknowledged;
    await on.client.apply(EtcdBackup, { metadata: once, spec: { cluster: "safe" } });
    const { status } = await on.client.wait(EtcdBackup, once, condition("Complete"), within);
    writing.resume();
    expect(status?.snapshots).toMatchObject([{ version: versions.new, revision: expect.any(Number) }]);
    expect(status!.snapshots![0]!.revision).toBeGreaterThan(saved);
    await writing.progress(20);
  });

  it("it is restored into a new cluster", async () => {
    const copy = { name: "copy", namespace };
    await on.client.apply(EtcdRestore, { metadata: copy, spec: { cluster: "copy", backup: "once" } });
    await on.client.apply(EtcdCluster, { metadata: copy, spec: { size: 1, version: versions.new } });
    await on.client.wait(EtcdRestore, copy, condition("Complete"), within);
    await on.settled("copy");
    const reading = await on.write("copy");
    await reading.progress(1);
    await on.client.delete(EtcdCluster, copy);
  });

  it("and into the same one, which is then as it was", async () => {
    await on.client.apply(EtcdRestore, { metadata: ref, spec: { cluster: "safe", backup: "once" } });
    await on.client.wait(EtcdRestore, ref, condition("Complete"), within);
    await writing.pause();
    writing.forget(saved);
    writing.resume();
    const settled = await on.settled("safe");
    expect(settled.status?.members?.map(({ name }) => name)).toEqual(["safe-4", "safe-5", "safe-6"]);
    await writing.progress(20);
    expect((await writing.check()).missing).toEqual([]);
  });

  it("a deleted restore changes nothing", async () => {
    await on.client.delete(EtcdRestore, ref);
    await on.client.waitGone(EtcdRestore, ref, within);
    await writing.progress(20);
    expect((await on.settled("safe")).status?.members?.map(({ name }) => name)).toEqual(["safe-4", "safe-5", "safe-6"]);
  });

  it("on a schedule, the newest are kept", async () => {
    const often = { name: "often", namespace };
    await on.client.apply(EtcdBackup, { metadata: often, spec: { cluster: "safe", every: "1s", keep: 2 } });
    const first = await on.client.wait(EtcdBackup, often, ({ status }) => status?.count === 1, within);
    const isNewer = ({ status }: EtcdBackup) =>
      status?.count === 2 && status.snapshots?.every(({ name }) => name !== first.status?.latest) === true;
    await on.client.wait(EtcdBackup, often, isNewer, within);
    await on.client.patch(EtcdBackup, often, { merge: { spec: { every: null } } });
    const { status } = await on.client.wait(
      EtcdBackup,
      often,
      (o) => o.status?.observedGeneration === o.metadata.generation && isNewer(o),
      within,
    );
    for (const gone of (await claims()).filter((name) => name.startsWith("often-") && !status?.snapshots?.some((s) => s.name === name)))
      await on.client.waitGone(PersistentVolumeClaim, { name: gone, namespace }, within);
    await on.client.delete(EtcdBackup, often);
    for (const { name } of status?.snapshots ?? []) await on.client.waitGone(PersistentVolumeClaim, { name, namespace }, within);
  });

  it("without a quorum nothing is done, until it is told which member to go on with", async () => {
    await writing.progress(5);
    await writing.pause();
    for (const name of ["safe-4", "safe-5"]) await on.client.delete(PersistentVolumeClaim, { name, namespace });
    for (const name of ["safe-4", "safe-5"]) await on.client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0 });
    const refused = (o: EtcdCluster) =>
      o.status?.conditions?.some(({ type, status }) => type === "Available" && status === "False") === true;
    await on.client.wait(EtcdCluster, ref, refused, within);
    expect(await claims()).toContain("safe-6");
    await on.client.patch(EtcdCluster, ref, { merge: { metadata: { annotations: { [RECOVER_FROM]: "safe-6" } } } });
    await on.settled("safe");
    writing.resume();
    await writing.progress(5);
    // What was acknowledged, a majority had; the survivor may have been the one that had not heard of the last.
    const { missing, acknowledged } = await writing.check();
    expect(missing.length).toBeLessThan(5);
    expect(acknowledged).toBeGreaterThan(30);
  });

  it("nothing is left of it", async () => {
    await writing.stop();
    await on.client.delete(EtcdCluster, ref);
    for (const { metadata } of (await on.client.list(Pod, { namespace, labels: { [LABEL]: "safe" } })).items)
      await on.client.waitGone(Pod, metadata, within);
  });
});
