/** Where stories about process nodes are played: on the embedded cluster, in every mode, and on a real kube-apiserver. */
import { type ProcessNode, startCluster } from "@pintle/cluster";
import { cache, writesThrough } from "pintle/cache";
import { type Client, connect } from "pintle/client";
import { Node } from "pintle/kinds/core/v1";
import { systemClock } from "pintle/queue";
import { eventRecorder } from "../../packages/cluster/src/controllers/index.ts";
import { processNodes, processSite } from "../../packages/cluster/src/node/index.ts";
import { startControlPlane } from "../real/index.ts";
import { full, seed } from "../sampling.ts";
import { type Mode, modes } from "./modes.ts";

export interface Ground extends AsyncDisposable {
  readonly client: Client;
  readonly nodes: readonly ProcessNode[];
}
export interface Place {
  readonly name: string;
  start(): Promise<Ground>;
}

const embedded = (mode: Mode): Place => ({
  name: `embedded, ${mode}`,
  async start() {
    const cluster = await startCluster({ nodes: { kind: "process", mode } });
    await cluster.ready;
    return { client: cluster.client(), nodes: cluster.nodes, [Symbol.asyncDispose]: () => cluster.stop() };
  },
});

/** Only with namespaces: a real server takes no endpoints on loopback. */
const real: Place = {
  name: "real kube-apiserver, namespaces",
  async start() {
    const plane = await startControlPlane({ controllerManager: true, scheduler: true });
    const client = await connect({ kubeconfig: plane.kubeconfig });
    const known = cache({ client });
    const events = eventRecorder({ client, clock: systemClock });
    const plant = { client: writesThrough(client, known), cache: known, clock: systemClock, random: Math.random, events };
    const site = await processSite({ kind: "process", mode: "namespaces" });
    const part = processNodes(plant, site, { kubeletVersion: "v1.36.3", leaseSeconds: 40 });
    await part.ready;
    await client.wait(Node, { name: "node-1" }, ({ spec }) => (spec.taints ?? []).length === 0, { timeout: 60_000 });
    return {
      client,
      nodes: part.nodes,
      async [Symbol.asyncDispose]() {
        await part.stop();
        await site.close();
        await known.stop();
        await client.close();
        await plane.stop();
      },
    };
  },
};

const all: readonly Place[] = modes.includes("namespaces") ? [embedded("namespaces"), real] : [];

/** Everywhere under `--full`; otherwise one of two places that are alike, and always where there are no rights. */
export const places: readonly Place[] = [
  ...(modes.length > 0 ? [embedded("loopback")] : []),
  ...(full ? all : all.slice(seed % 2).slice(0, 1)),
];
