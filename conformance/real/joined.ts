import { readFile } from "node:fs/promises";
import type { ClusterNode, NodeStreams, ProcessNodesOptions } from "@pintle/cluster";
import { type Client, connect } from "pintle/client";
import { createCache, createWriteThroughClient } from "pintle/internal/cache";
import { systemClock } from "pintle/internal/clock";
import { createWorkQueue } from "pintle/internal/queue";
import { Node } from "pintle/kinds/core/v1";
import { createCertificateAuthority } from "pintle/tls";
import { createEventRecorder, startVolumeProvisioner } from "../../packages/cluster/src/controllers/index.ts";
import { createPodIpAllocator, prepareProcessHost, startProcessNodes, startSimulatedNode } from "../../packages/cluster/src/node/index.ts";
import { startKubeletServer } from "../../packages/cluster/src/streams/index.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import { createLayout } from "./programs/layout.ts";
import { selectedKubernetes } from "./versions.ts";

export interface JoinedOptions extends Omit<ControlPlaneOptions, "nodes"> {
  /** Number of simulated nodes, or options of nodes whose pods are processes. A real server rejects endpoints on loopback, so those need root. */
  readonly nodes: number | ProcessNodesOptions;
}

export interface Joined extends ControlPlane {
  readonly client: Client;
  /** The nodes whose pods are processes. */
  readonly processes: readonly ClusterNode[];
}

const kubeletVersion = `v${selectedKubernetes()}`;
const LOOPBACK = "127.0.0.1";
const within = { timeout: 60_000 };

/** Starts a real control plane with nodes and volume provisioning from @pintle/cluster, which connect as ordinary API clients. */
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
    const known = createCache({ client });
    ending.push(() => known.stop());
    const events = createEventRecorder({ client, clock: systemClock });
    const context = {
      client: createWriteThroughClient(client, known),
      cache: known,
      clock: systemClock,
      random: Math.random,
      events,
      createWorkQueue,
    };
    const storage = startVolumeProvisioner(context);
    ending.push(() => storage.stop());
    const { parts, streaming, processes } = await startNodeParts(context, nodes, ending);
    await Promise.all([storage, ...parts].map((part) => part.ready));
    const clientAuthority = await readFile(createLayout(plane.dir).authority.certificate, "utf8");
    for (const { node, streams } of streaming) ending.push(await serveNode(client, node, streams, clientAuthority));
    return { ...plane, client, processes, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNodeParts(
  context: Parameters<typeof startProcessNodes>[0],
  nodes: JoinedOptions["nodes"],
  ending: (() => Promise<unknown>)[],
) {
  if (typeof nodes === "number") {
    const network = createPodIpAllocator("10.244");
    const names = Array.from({ length: nodes }, (_, i) => `node-${i + 1}`);
    const parts = names.map((name) => startSimulatedNode(context, { name, address: LOOPBACK, kubeletVersion }, network));
    ending.push(() => Promise.all(parts.map((part) => part.stop())));
    return { parts, streaming: parts, processes: [] };
  }
  const processHost = await prepareProcessHost(nodes);
  ending.push(() => processHost.close());
  const part = startProcessNodes(context, processHost, { kubeletVersion, leaseSeconds: 40 });
  ending.push(() => part.stop());
  return { parts: [part], streaming: part.nodes, processes: part.nodes };
}

/** Opens the node's kubelet port, publishes it in the node's status, and waits until the node is schedulable. Returns how to close it. */
async function serveNode(client: Client, name: string, streams: NodeStreams, clientCa: string): Promise<() => Promise<unknown>> {
  const { status } = await client.get(Node, { name });
  const host = status.addresses?.find(({ type }) => type === "InternalIP")?.address ?? LOOPBACK;
  const keys = createCertificateAuthority("kubelet", Date.now()).issueServerCertificate({ commonName: name }, [host]);
  const kubelet = await startKubeletServer({ streams, node: name, keys, clientCa, host });
  const daemonEndpoints = { kubeletEndpoint: { Port: kubelet.port } };
  await client.status.patch(Node, { name }, { strategic: { status: { daemonEndpoints } } }, { fieldManager: "kubelet" });
  // A new node is tainted until the controller manager has seen that it is ready.
  await client.waitFor(Node, { name }, ({ spec }) => (spec.taints ?? []).length === 0, within);
  return () => kubelet.close();
}
