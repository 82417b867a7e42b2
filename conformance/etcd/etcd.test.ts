/** The etcd operator with real etcd processes and a continuous writer. */
import type { Manager } from "pintle";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EtcdCluster } from "../../examples/etcd/src/etcd-cluster.ts";
import { full } from "../sampling.ts";
import { backends, createEnvironment, type EtcdEnvironment, isSupported, namespace, versions, within } from "./environment.ts";
import type { EtcdWriter } from "./writer.ts";

const ref = { name: "example", namespace };

describe.skipIf(!isSupported).each(backends)("an etcd cluster of one, %s", { timeout: 300_000 }, (ground) => {
  it("serves requests, keeps its data when upgraded, and is deleted", async () => {
    const on = await createEnvironment({ ground });
    try {
      await on.startOperator();
      await on.client.apply(EtcdCluster, { metadata: ref, spec: { size: 1, version: versions.old } });
      await on.settled("example");
      const writing = await on.startWriter("example");
      await writing.progress(3);
      await on.client.patch(EtcdCluster, ref, { merge: { spec: { version: versions.new } } });
      const { status } = await on.settled("example");
      expect(status?.members).toMatchObject([{ name: "example-1", version: versions.new }]);
      await writing.progress(3);
      expect((await writing.check()).missing).toEqual([]);
      await writing.stop();
      await on.client.delete(EtcdCluster, ref);
      await on.client.waitForDeletion(Pod, { name: "example-1", namespace }, within);
    } finally {
      await on.stop();
    }
  });
});

// Minutes of real elections; only under --full.
describe.skipIf(!full || !isSupported).each(backends)("an etcd cluster, %s", { timeout: 300_000 }, (ground) => {
  let on: EtcdEnvironment;
  let operator: Manager;
  let writing: EtcdWriter;
  const names = ({ status }: EtcdCluster) => status?.members?.map(({ name }) => name);

  beforeAll(async () => {
    on = await createEnvironment({ ground });
    operator = await on.startOperator();
  });
  afterAll(() => on?.stop());

  it("scales from one to three members through learners", async () => {
    await on.client.apply(EtcdCluster, { metadata: ref, spec: { size: 3, version: versions.new, replaceAfterSeconds: 30 } });
    const settled = await on.settled("example");
    expect(names(settled)).toEqual(["example-1", "example-2", "example-3"]);
    expect(settled.status?.members?.filter(({ leader }) => leader)).toHaveLength(1);
    writing = await on.startWriter("example");
    await writing.progress(20);
  });

  it("restarts a killed member with its data instead of replacing it", async () => {
    const before = await on.client.get(Pod, { name: "example-2", namespace });
    await on.client.delete(Pod, { name: "example-2", namespace }, { gracePeriodSeconds: 0 });
    const isBack = ({ metadata, status }: Pod) => metadata.uid !== before.metadata.uid && status.containerStatuses?.[0]?.ready === true;
    await on.client.waitFor(Pod, { name: "example-2", namespace }, isBack, within);
    expect(names(await on.settled("example"))).toEqual(["example-1", "example-2", "example-3"]);
    await writing.progress(20);
  });

  it("replaces a member that loses its volume", async () => {
    await on.client.delete(PersistentVolumeClaim, { name: "example-3", namespace });
    await on.client.delete(Pod, { name: "example-3", namespace }, { gracePeriodSeconds: 0 });
    const settled = await on.settled("example", (object) => names(object)?.includes("example-3") === false);
    expect(names(settled)).toEqual(["example-1", "example-2", "example-4"]);
    await writing.progress(20);
  });

  it("replaces a member that hangs", async () => {
    await on.client.patch(EtcdCluster, ref, { merge: { spec: { replaceAfterSeconds: 5 } } });
    on.node.faults.pause({ namespace, pod: "example-1" });
    const settled = await on.settled("example", (object) => names(object)?.includes("example-1") === false);
    expect(names(settled)).toHaveLength(3);
    await writing.progress(20);
    await on.client.patch(EtcdCluster, ref, { merge: { spec: { replaceAfterSeconds: 30 } } });
  });

  it("scales to five members and back to three while the operator restarts", async () => {
    await on.client.patch(EtcdCluster, ref, { merge: { spec: { size: 5 } } });
    await on.client.waitFor(EtcdCluster, ref, (o) => (o.status?.members?.length ?? 0) > 3, within);
    await operator.stop();
    operator = await on.startOperator();
    await on.settled("example");
    await on.client.patch(EtcdCluster, ref, { merge: { spec: { size: 3 } } });
    await on.settled("example");
    await writing.progress(20);
  });

  it("keeps every acknowledged write", async () => {
    const { acknowledged, missing } = await writing.check();
    expect(missing).toEqual([]);
    expect(writing.unread).toEqual([]);
    expect(acknowledged).toBeGreaterThan(80);
  });

  it("deletes all objects with the cluster", async () => {
    await writing.stop();
    await on.client.delete(EtcdCluster, ref);
    for (const { metadata } of (await on.client.list(Pod, { namespace })).items) await on.client.waitForDeletion(Pod, metadata, within);
    for (const { metadata } of (await on.client.list(PersistentVolumeClaim, { namespace })).items)
      await on.client.waitForDeletion(PersistentVolumeClaim, metadata, within);
  });
});
