/** The operator dies after each of its writes, to the API server or to etcd, one by one, and another one goes on. */
import { condition } from "pintle/client";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backupController } from "../../examples/etcd/src/backup.ts";
import { etcdController } from "../../examples/etcd/src/etcd.ts";
import { EtcdBackup } from "../../examples/etcd/src/etcd-backup.ts";
import { EtcdCluster } from "../../examples/etcd/src/etcd-cluster.ts";
import { EtcdRestore } from "../../examples/etcd/src/etcd-restore.ts";
import { restore } from "../../examples/etcd/src/restore.ts";
import { full } from "../sampling.ts";
import { mortal } from "./mortal.ts";
import { grounds, isPossible, namespace, type Stage, stage, versions, within } from "./stage.ts";
import type { Writer } from "./writer.ts";

const ref = { name: "tough", namespace };

describe.skipIf(!full || !isPossible).each(grounds)("an operator that dies after every write, %s", { timeout: 600_000 }, (ground) => {
  let on: Stage;
  let writing: Writer;
  const deaths: string[] = [];
  const names = ({ status }: EtcdCluster) => status?.members?.map(({ name }) => name);
  const change = (spec: object) => on.client.patch(EtcdCluster, ref, { merge: { spec } });

  /** One life after another, until it has come about. */
  async function until(wanted: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = wanted.then(() => {
      isDone = true;
    });
    while (!isDone) {
      const { client, call, over } = mortal(on.transport);
      const manager = await on.operate([etcdController(call), backupController(call), restore], client, "10ms");
      await Promise.race([over.then((last) => deaths.push(last)), done]);
      await manager.stop();
    }
  }

  beforeAll(async () => {
    on = await stage({ ground });
  });
  afterAll(() => on?.stop());

  it("makes a cluster of three", async () => {
    await on.client.apply(EtcdCluster, { metadata: ref, spec: { size: 1, version: versions.old, replaceAfterSeconds: 30 } });
    await until(on.settled("tough"));
    writing = await on.write("tough");
    await change({ size: 3 });
    await until(on.settled("tough"));
    await writing.progress(5);
  });

  it("upgrades it", async () => {
    await change({ version: versions.new });
    await until(on.settled("tough", ({ status }) => status?.members?.every(({ version }) => version === versions.new) === true));
    await writing.progress(5);
  });

  it("replaces a member that lost its volume", async () => {
    const [victim = ""] = names(await on.client.get(EtcdCluster, ref)) ?? [];
    await on.client.delete(PersistentVolumeClaim, { name: victim, namespace });
    await on.client.delete(Pod, { name: victim, namespace }, { gracePeriodSeconds: 0 });
    await until(on.settled("tough", (object) => names(object)?.includes(victim) === false));
    await writing.progress(5);
  });

  it("grows it to five and shrinks it to three", async () => {
    await change({ size: 5 });
    await until(on.settled("tough"));
    await change({ size: 3 });
    await until(on.settled("tough"));
    await writing.progress(5);
    expect((await writing.check()).missing).toEqual([]);
  });

  it("takes a backup and restores it", async () => {
    await writing.pause();
    const saved = writing.acknowledged;
    await on.client.apply(EtcdBackup, { metadata: ref, spec: { cluster: "tough" } });
    await until(on.client.wait(EtcdBackup, ref, condition("Complete"), within));
    await on.client.apply(EtcdRestore, { metadata: ref, spec: { cluster: "tough", backup: "tough" } });
    await until(on.client.wait(EtcdRestore, ref, condition("Complete"), within));
    await until(on.settled("tough"));
    writing.resume();
    await writing.progress(5);
    expect(writing.acknowledged).toBeGreaterThan(saved);
    expect((await writing.check()).missing).toEqual([]);
    expect(writing.unread).toEqual([]);
  });

  it("died often, also between etcd and the API server", () => {
    console.log(`the operator died ${deaths.length} times`);
    expect(deaths.length).toBeGreaterThan(50);
    for (const last of ["member/add", "member/promote", "member/remove", "/persistentvolumeclaims/", "/pods/", "/jobs/", "/status"])
      expect(
        deaths.some((death) => death.includes(last)),
        last,
      ).toBe(true);
  });
});
