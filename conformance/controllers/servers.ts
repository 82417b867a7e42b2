import { readFileSync } from "node:fs";
import { startCluster } from "@pintle/cluster";
import { type Client, connect, createClient } from "pintle/client";
import { createCache, createWriteThroughClient } from "pintle/internal/cache";
import { systemClock } from "pintle/internal/clock";
import { createWorkQueue } from "pintle/internal/queue";
import { Node } from "pintle/kinds/core/v1";
import { createEventRecorder, startVolumeProvisioner } from "../../packages/cluster/src/controllers/index.ts";
import { createPodIpAllocator, startSimulatedNode } from "../../packages/cluster/src/node/index.ts";
import { startControlPlane } from "../real/index.ts";

export interface ControllersServer {
  readonly name: string;
  readonly client: Client;
  /** The text of the kubeconfig. */
  readonly kubeconfig: string;
  /** How long nothing must change until the server is considered stable, in milliseconds. */
  readonly settleMs: number;
  stop(): Promise<void>;
}

const NODES = 2;

export async function startEmbedded(): Promise<ControllersServer> {
  const cluster = await startCluster({ nodes: NODES, http: true });
  await cluster.ready;
  const client = createClient(cluster.transport, { fieldManager: "test", onWarning: () => {} });
  await waitForUntaintedNodes(client);
  return { name: "embedded", client, kubeconfig: cluster.kubeconfig, settleMs: 1_500, stop: () => cluster.stop() };
}

/** Starts kube-apiserver, kube-controller-manager and kube-scheduler, joined by simulated nodes and a simulated volume provisioner. */
export async function startReal(): Promise<ControllersServer> {
  const plane = await startControlPlane({ controllerManager: true, scheduler: true });
  const client = await connect({ kubeconfig: plane.kubeconfig, fieldManager: "test", onWarning: () => {} });
  const cache = createCache({ client });
  const deps = {
    client: createWriteThroughClient(client, cache),
    cache,
    clock: systemClock,
    random: Math.random,
    events: createEventRecorder({ client, clock: systemClock }),
    createWorkQueue,
  };
  const network = createPodIpAllocator("10.244");
  const nodes = Array.from({ length: NODES }, (_, i) =>
    startSimulatedNode(deps, { name: `node-${i + 1}`, address: `192.0.2.${i + 1}`, kubeletVersion: "v1.36.3" }, network),
  );
  const provisioner = startVolumeProvisioner(deps);
  await Promise.all([provisioner, ...nodes].map((part) => part.ready));
  await waitForUntaintedNodes(client);
  return {
    name: "real",
    client,
    kubeconfig: readFileSync(plane.kubeconfig, "utf8"),
    settleMs: 3_000,
    async stop() {
      await Promise.all([provisioner, ...nodes].map((part) => part.stop()));
      await cache.stop();
      await client.close();
      await plane.stop();
    },
  };
}

/** Waits until the node lifecycle controller has removed the not-ready taint of every node. */
async function waitForUntaintedNodes(client: Client): Promise<void> {
  for (let i = 1; i <= NODES; i++) {
    await client.waitFor(Node, { name: `node-${i}` }, ({ spec }) => (spec.taints ?? []).length === 0, { timeout: 60_000 });
  }
}
