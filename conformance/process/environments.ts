/** Environments for tests of process nodes: the embedded cluster in every mode, and a real kube-apiserver. */
import { type ClusterNode, startCluster } from "@pintle/cluster";
import { type Client, connect } from "pintle/client";
import { createCache, createWriteThroughClient } from "pintle/internal/cache";
import { systemClock } from "pintle/internal/clock";
import { createWorkQueue } from "pintle/internal/queue";
import { Node } from "pintle/kinds/core/v1";
import { createEventRecorder } from "../../packages/cluster/src/controllers/index.ts";
import { prepareProcessHost, startProcessNodes } from "../../packages/cluster/src/node/index.ts";
import { startControlPlane } from "../real/index.ts";
import { full, seed } from "../sampling.ts";
import { type Mode, modes } from "./modes.ts";

export interface ProcessEnvironment extends AsyncDisposable {
  readonly client: Client;
  readonly nodes: readonly ClusterNode[];
}
export interface ProcessEnvironmentCase {
  readonly name: string;
  start(): Promise<ProcessEnvironment>;
}

const embeddedEnvironment = (mode: Mode): ProcessEnvironmentCase => ({
  name: `embedded, ${mode}`,
  async start() {
    const cluster = await startCluster({ nodes: { kind: "process", mode } });
    await cluster.ready;
    return { client: cluster.client(), nodes: cluster.nodes, [Symbol.asyncDispose]: () => cluster.stop() };
  },
});

/** Only with namespaces: a real server rejects endpoints on loopback. */
const real: ProcessEnvironmentCase = {
  name: "real kube-apiserver, namespaces",
  async start() {
    const plane = await startControlPlane({ controllerManager: true, scheduler: true });
    const client = await connect({ kubeconfig: plane.kubeconfig });
    const known = createCache({ client });
    const events = createEventRecorder({ client, clock: systemClock });
    const context = {
      client: createWriteThroughClient(client, known),
      cache: known,
      clock: systemClock,
      random: Math.random,
      events,
      createWorkQueue,
    };
    const processHost = await prepareProcessHost({ kind: "process", mode: "namespaces" });
    const part = startProcessNodes(context, processHost, { kubeletVersion: "v1.36.3", leaseSeconds: 40 });
    await part.ready;
    await client.waitFor(Node, { name: "node-1" }, ({ spec }) => (spec.taints ?? []).length === 0, { timeout: 60_000 });
    return {
      client,
      nodes: part.nodes,
      async [Symbol.asyncDispose]() {
        await part.stop();
        await processHost.close();
        await known.stop();
        await client.close();
        await plane.stop();
      },
    };
  },
};

const all: readonly ProcessEnvironmentCase[] = modes.includes("namespaces") ? [embeddedEnvironment("namespaces"), real] : [];

/** All under `--full`; otherwise one of the two equivalent ones, and always the one without privileges. */
export const environments: readonly ProcessEnvironmentCase[] = [
  ...(modes.length > 0 ? [embeddedEnvironment("loopback")] : []),
  ...(full ? all : all.slice(seed % 2).slice(0, 1)),
];
