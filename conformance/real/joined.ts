import { readFile } from "node:fs/promises";
import type { NodeStreams, ProcessNode, ProcessNodesOptions } from "@pintle/cluster";
import { cache, writesThrough } from "pintle/cache";
import { type Client, connect } from "pintle/client";
import { Node } from "pintle/kinds/core/v1";
import { systemClock } from "pintle/queue";
import { authority } from "pintle/tls";
import { eventRecorder, volumeProvisioner } from "../../packages/cluster/src/controllers/index.ts";
import { addresses, processNodes, processSite, simulatedNode } from "../../packages/cluster/src/node/index.ts";
import { kubeletServer } from "../../packages/cluster/src/streams/index.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import { layout } from "./layout.ts";
import { versions } from "./versions.ts";

export interface JoinedOptions extends Omit<ControlPlaneOptions, "nodes"> {
  /** How many simulated nodes, or nodes whose pods are processes. A real server takes no endpoints on loopback: those need root. */
  readonly nodes: number | ProcessNodesOptions;
}

export interface Joined extends ControlPlane {
  readonly client: Client;
  /** Those whose pods are processes. */
  readonly processes: readonly ProcessNode[];
}

const kubeletVersion = `v${versions.kubernetes}`;
const LOOPBACK = "127.0.0.1";
const within = { timeout: 60_000 };

/** A real control plane whose nodes, and whose storage, are ours: they joined it as ordinary clients of its API. */
export async function startJoined({ nodes, ...options }: JoinedOptions): Promise<Joined> {
  const ending: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of ending.splice(0).reverse()) await end();
  };
  try {
    const plane = await startControlPlane({ ...options, controllerManager: true, scheduler: true });
    ending.push(() => plane.stop());
    const client = await connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} });
    ending.push(() => client.close());
    const known = cache({ client });
    ending.push(() => known.stop());
    const events = eventRecorder({ client, clock: systemClock });
    const plant = { client: writesThrough(client, known), cache: known, clock: systemClock, random: Math.random, events };
    const storage = volumeProvisioner(plant);
    ending.push(() => storage.stop());
    const { parts, streaming, processes } = await partsOf(plant, nodes, ending);
    await Promise.all([storage, ...parts].map((part) => part.ready));
    const clientAuthority = await readFile(layout(plane.dir).authority.certificate, "utf8");
    for (const { node, streams } of streaming) ending.push(await served(client, node, streams, clientAuthority));
    return { ...plane, client, processes, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function partsOf(plant: Parameters<typeof processNodes>[0], nodes: JoinedOptions["nodes"], ending: (() => Promise<unknown>)[]) {
  if (typeof nodes === "number") {
    const network = addresses("10.244");
    const names = Array.from({ length: nodes }, (_, i) => `node-${i + 1}`);
    const parts = names.map((name) => simulatedNode(plant, { name, address: LOOPBACK, kubeletVersion }, network));
    ending.push(() => Promise.all(parts.map((part) => part.stop())));
    return { parts, streaming: parts, processes: [] };
  }
  const site = await processSite(nodes);
  ending.push(() => site.close());
  const part = processNodes(plant, site, { kubeletVersion, leaseSeconds: 40 });
  ending.push(() => part.stop());
  return { parts: [part], streaming: part.nodes, processes: part.nodes };
}

/** Opens the node's port for logs, exec and the like, says where it is, and waits until the node takes pods. Returns how to close it. */
async function served(client: Client, name: string, streams: NodeStreams, clientAuthority: string): Promise<() => Promise<unknown>> {
  const { status } = await client.get(Node, { name });
  const host = status.addresses?.find(({ type }) => type === "InternalIP")?.address ?? LOOPBACK;
  const keys = authority("kubelet", Date.now()).server({ commonName: name }, [host]);
  const kubelet = await kubeletServer({ streams, node: name, keys, clientAuthority, host });
  const daemonEndpoints = { kubeletEndpoint: { Port: kubelet.port } };
  await client.status.patch(Node, { name }, { strategic: { status: { daemonEndpoints } } }, { fieldManager: "kubelet" });
  // A new node takes no pods until the controller manager has seen that it is ready.
  await client.wait(Node, { name }, ({ spec }) => (spec.taints ?? []).length === 0, within);
  return () => kubelet.close();
}
