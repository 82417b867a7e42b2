/** Three real etcd members as pods of a StatefulSet, in a cluster that stores its objects and volumes in a folder. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Cluster, type ProcessNodesOptions, startCluster } from "@pintle/cluster";
import type { Client } from "pintle/client";
import { StatefulSet } from "pintle/kinds/apps/v1";
import { Pod, Service } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { binary } from "../real/index.ts";
import { sampledModes } from "./modes.ts";

const within = { timeout: 60_000 };
const ref = { name: "etcd", namespace: "default" };
const labels = { app: "etcd" };
const MEMBERS = ["etcd-0", "etcd-1", "etcd-2"];
const peer = (name: string) => `http://${name}.etcd.default.svc:2380`;
const ENDPOINTS = MEMBERS.map((name) => `http://${name}.etcd.default.svc:2379`).join(",");

const container = {
  name: "etcd",
  image: "quay.io/coreos/etcd:v3.6.0",
  command: ["/usr/local/bin/etcd"],
  args: [
    "--name=$(NAME)",
    "--data-dir=/var/lib/etcd/data",
    "--unsafe-no-fsync",
    "--listen-peer-urls=http://0.0.0.0:2380",
    "--listen-client-urls=http://0.0.0.0:2379",
    "--initial-advertise-peer-urls=http://$(NAME).etcd.default.svc:2380",
    "--advertise-client-urls=http://$(NAME).etcd.default.svc:2379",
    `--initial-cluster=${MEMBERS.map((name) => `${name}=${peer(name)}`).join(",")}`,
  ],
  env: [{ name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
  readinessProbe: { httpGet: { path: "/health", port: 2379 }, periodSeconds: 1 },
  volumeMounts: [{ name: "data", mountPath: "/var/lib/etcd" }],
};

async function createMembers(client: Client): Promise<void> {
  const ports = [{ port: 2379, name: "client" }];
  await client.create(Service, { metadata: ref, spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: labels, ports } });
  const claim = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
  await client.create(StatefulSet, {
    metadata: ref,
    spec: {
      serviceName: ref.name,
      replicas: 3,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 5, containers: [container] } },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
    },
  });
}

/** Waits until every member has the given number of restarts and is ready. */
async function waitUntilHealthy(client: Client, restarts: Readonly<Record<string, number>>): Promise<void> {
  for (const name of MEMBERS) {
    const isBack = ({ status }: Pod) =>
      status.containerStatuses?.[0]?.ready === true && status.containerStatuses[0].restartCount === restarts[name];
    await client.waitFor(Pod, { name, namespace: ref.namespace }, isBack, within);
  }
}

async function etcdctl(cluster: Cluster, member: string, ...args: readonly string[]): Promise<string> {
  const target = { namespace: ref.namespace, pod: member, uid: "", container: "etcd" };
  const options = { stdin: false, stdout: true, stderr: true, tty: false };
  const session = await cluster.nodes[0]!.streams.exec(target, ["etcdctl", "--endpoints", ENDPOINTS, ...args], options);
  const [out, errors] = await Promise.all([readText(session.stdout), readText(session.stderr)]);
  const end = await session.end;
  if (!("code" in end) || end.code !== 0) throw new Error(`etcdctl ${args.join(" ")}: ${JSON.stringify(end)} ${errors}`);
  return out;
}

/** Two of three are a quorum; but a request that a follower forwarded to a leader that has just died is lost and must be retried. */
async function putKey(cluster: Cluster, member: string, key: string, value: string): Promise<void> {
  const refusals: unknown[] = [];
  while (refusals.length < 5) {
    try {
      await etcdctl(cluster, member, "put", key, value);
      return;
    } catch (refusal) {
      refusals.push(refusal);
    }
  }
  throw new AggregateError(refusals, `etcdctl put ${key}: refused ${refusals.length} times`);
}

async function readText(from: AsyncIterable<Uint8Array>): Promise<string> {
  let all = "";
  for await (const bytes of from) all += Buffer.from(bytes).toString();
  return all;
}

describe.each(sampledModes)("%s", (mode) => {
  test("form a quorum, survive the loss of one member, and keep all data after a restart of all", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "pintle-etcd-"));
    const programs = { etcd: binary("etcd"), etcdctl: binary("etcdctl") };
    const nodes: ProcessNodesOptions = {
      kind: "process",
      mode,
      folder: path.join(folder, "nodes"),
      images: { "quay.io/coreos/etcd": { command: ["etcd"], programs } },
    };
    const started = async () => {
      const cluster = await startCluster({ store: { file: path.join(folder, "store") }, nodes });
      await cluster.ready;
      return cluster;
    };
    let cluster = await started();
    try {
      let client = cluster.client();
      await createMembers(client);
      await waitUntilHealthy(client, { "etcd-0": 0, "etcd-1": 0, "etcd-2": 0 });
      const list = await etcdctl(cluster, "etcd-0", "member", "list");
      expect(
        list
          .trim()
          .split("\n")
          .filter((line) => line.includes("started")),
      ).toHaveLength(3);
      await etcdctl(cluster, "etcd-0", "put", "colour", "blue");

      cluster.nodes[0]!.faults.kill({ namespace: ref.namespace, pod: "etcd-1" });
      await putKey(cluster, "etcd-2", "shape", "round");
      await waitUntilHealthy(client, { "etcd-0": 0, "etcd-1": 1, "etcd-2": 0 });

      await cluster.stop();
      cluster = await started();
      client = cluster.client();
      await waitUntilHealthy(client, { "etcd-0": 1, "etcd-1": 2, "etcd-2": 1 });
      expect(await etcdctl(cluster, "etcd-1", "get", "--prefix", "", "--print-value-only")).toBe("blue\nround\n");
    } finally {
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
