import { readFileSync } from "node:fs";
import { startCluster } from "@pintle/cluster";
import { cache, writesThrough } from "pintle/cache";
import { type Client, clientOver, connect } from "pintle/client";
import { Node } from "pintle/kinds/core/v1";
import { systemClock } from "pintle/queue";
import { eventRecorder, volumeProvisioner } from "../../packages/cluster/src/controllers/index.ts";
import { addresses, simulatedNode } from "../../packages/cluster/src/node/index.ts";
import { startControlPlane } from "../real/index.ts";

export interface Server {
  readonly name: string;
  readonly client: Client;
  /** Its text. */
  readonly kubeconfig: string;
  /** How long nothing must change until it is at rest. Milliseconds. */
  readonly quiet: number;
  stop(): Promise<void>;
}

const NODES = 2;

export async function embedded(): Promise<Server> {
  const cluster = await startCluster({ nodes: NODES, http: true });
  await cluster.ready;
  const client = clientOver(cluster.transport, { fieldManager: "test", onWarning: () => {} });
  await untainted(client);
  return { name: "embedded", client, kubeconfig: cluster.kubeconfig, quiet: 1_500, stop: () => cluster.stop() };
}

/** kube-apiserver, kube-controller-manager and kube-scheduler; its nodes and its storage are simulated ones of ours that joined it. */
export async function real(): Promise<Server> {
  const plane = await startControlPlane({ controllerManager: true, scheduler: true });
  const client = await connect({ kubeconfig: plane.kubeconfig, fieldManager: "test", onWarning: () => {} });
  const known = cache({ client });
  const plant = {
    client: writesThrough(client, known),
    cache: known,
    clock: systemClock,
    random: Math.random,
    events: eventRecorder({ client, clock: systemClock }),
  };
  const network = addresses("10.244");
  const nodes = Array.from({ length: NODES }, (_, i) =>
    simulatedNode(plant, { name: `node-${i + 1}`, address: `192.0.2.${i + 1}`, kubeletVersion: "v1.36.3" }, network),
  );
  const provisioner = volumeProvisioner(plant);
  await Promise.all([provisioner, ...nodes].map((part) => part.ready));
  await untainted(client);
  return {
    name: "real",
    client,
    kubeconfig: readFileSync(plane.kubeconfig, "utf8"),
    quiet: 3_000,
    async stop() {
      await Promise.all([provisioner, ...nodes].map((part) => part.stop()));
      await known.stop();
      await client.close();
      await plane.stop();
    },
  };
}

/** A new node takes no pods until somebody has seen that it is ready. */
async function untainted(client: Client): Promise<void> {
  for (let i = 1; i <= NODES; i++) {
    await client.wait(Node, { name: `node-${i}` }, ({ spec }) => (spec.taints ?? []).length === 0, { timeout: 60_000 });
  }
}
