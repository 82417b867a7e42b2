/** The etcd operator over real etcd processes, with a writer that never stops. */
import { execFileSync } from "node:child_process";
import { startCluster } from "@pintle/cluster";
import { type Manager, silent, start } from "pintle";
import type { Client } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { etcd } from "../../examples/etcd/src/etcd.ts";
import { EtcdCluster } from "../../examples/etcd/src/etcd-cluster.ts";
import { modes } from "../process/modes.ts";
import { binary } from "../real/index.ts";
import { full } from "../sampling.ts";
import { type Writer, writer } from "./writer.ts";

const namespace = "default";
const version = /\d+\.\d+\.\d+/.exec(execFileSync(binary("etcd"), ["--version"], { encoding: "utf8" }))![0];
const ref = { name: "example", namespace };
const within = { timeout: 100_000 };

// A minute of real elections; only under --full.
describe.skipIf(!full || !modes.includes("namespaces"))("an etcd cluster", { timeout: 120_000 }, () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  let client: Client;
  let operator: Manager;
  let writing: Writer;

  beforeAll(async () => {
    const images = { "quay.io/coreos/etcd": { command: ["etcd"], programs: { etcd: binary("etcd"), etcdctl: binary("etcdctl") } } };
    cluster = await startCluster({ nodes: { kind: "process", mode: "namespaces", images } });
    await cluster.ready;
    client = cluster.client();
    await client.create(CustomResourceDefinition, EtcdCluster.crd());
    operator = await operating();
  });
  afterAll(async () => {
    await writing?.stop();
    await operator?.stop();
    await cluster?.stop();
  });

  async function operating(): Promise<Manager> {
    const manager = start({ controllers: [etcd], client, logger: silent });
    await manager.ready;
    return manager;
  }
  const settled = (size: number) =>
    client.wait(
      EtcdCluster,
      ref,
      ({ status, metadata, spec }) =>
        spec.size === size &&
        status !== undefined &&
        status.observedGeneration === metadata.generation &&
        status.ready === size &&
        status.members?.length === size &&
        status.conditions?.find(({ type }) => type === "Progressing")?.status === "False",
      within,
    );

  it("grows from a seed to three members, through learners", async () => {
    await client.apply(EtcdCluster, { metadata: ref, spec: { size: 3, version, replaceAfterSeconds: 5 } });
    const { status } = await settled(3);
    expect(status?.members?.map(({ name }) => name)).toEqual(["example-1", "example-2", "example-3"]);
    expect(status?.members?.filter(({ leader }) => leader)).toHaveLength(1);
    writing = writer(async () => (await client.list(Pod, { namespace })).items);
    await writing.progress(20);
  });

  it("a member that is killed comes back with its data, and is not replaced", async () => {
    await client.delete(Pod, { name: "example-2", namespace }, { gracePeriodSeconds: 0 });
    await client.wait(Pod, { name: "example-2", namespace }, (pod) => pod.status.containerStatuses?.[0]?.ready === true, within);
    const { status } = await settled(3);
    expect(status?.members?.map(({ name }) => name)).toEqual(["example-1", "example-2", "example-3"]);
    await writing.progress(20);
  });

  it("a member that loses its volume is replaced", async () => {
    await client.delete(PersistentVolumeClaim, { name: "example-3", namespace });
    await client.delete(Pod, { name: "example-3", namespace }, { gracePeriodSeconds: 0 });
    const replaced = (o: EtcdCluster) => o.status?.ready === 3 && o.status.members?.some(({ name }) => name === "example-4") === true;
    await client.wait(EtcdCluster, ref, replaced, within);
    await settled(3);
    await writing.progress(20);
  });

  it("grows to five and shrinks to three, while the operator is stopped and started", async () => {
    await client.patch(EtcdCluster, ref, { merge: { spec: { size: 5 } } });
    await client.wait(EtcdCluster, ref, (o) => (o.status?.members?.length ?? 0) > 3, within);
    await operator.stop();
    operator = await operating();
    await settled(5);
    await client.patch(EtcdCluster, ref, { merge: { spec: { size: 3 } } });
    await settled(3);
    await writing.progress(20);
  });

  it("everything that was acknowledged is there", async () => {
    const { acknowledged, missing } = await writing.check();
    expect(missing).toEqual([]);
    expect(acknowledged).toBeGreaterThan(80);
  });

  it("everything goes with it", async () => {
    await writing.stop();
    await client.delete(EtcdCluster, ref);
    for (const { metadata } of (await client.list(Pod, { namespace })).items) await client.waitGone(Pod, metadata, within);
    for (const { metadata } of (await client.list(PersistentVolumeClaim, { namespace })).items)
      await client.waitGone(PersistentVolumeClaim, metadata, within);
  });
});
