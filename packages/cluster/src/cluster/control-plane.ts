import { createClient, type Transport } from "pintle/client";
import { createCache, createWriteThroughClient } from "pintle/internal/cache";
import { backgroundClock, type Clock, type Random, seededRandom } from "pintle/internal/clock";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { createWorkQueue } from "pintle/internal/queue";
import type { CertificateKeyPair } from "pintle/tls";
import type { VersionInfo } from "../api/index.ts";
import {
  type ControllerContext,
  type ControllerName,
  type ControlPlaneComponent,
  createEventRecorder,
  type OpenApiDocument,
  type StartComponent,
  startControllers,
} from "../controllers/index.ts";
import {
  createPodIpAllocator,
  type EtcdClientConfig,
  findImageEntry,
  type NodeStreams,
  type ProcessHost,
  type ProcessNode,
  startEtcdPod,
  startProcessNodes,
  startSimulatedNode,
} from "../node/index.ts";
import { type CauseScopes, recordComponent } from "../recorder/index.ts";

export interface ControlPlaneOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: VersionInfo;
  /** The authority that clients of this cluster trust; it signs client certificates. */
  readonly authority: CertificateKeyPair;
  /** Lease duration of simulated nodes. */
  readonly leaseSeconds: number;
  /** Registers the streams of a node (logs, exec, ...); the returned function unregisters them. */
  register(node: string, streams: NodeStreams): () => void;
  /** Number of simulated nodes, or the host of process nodes. */
  readonly nodes: number | ProcessHost;
  /** The etcd that stores the objects, if any; it is shown as a pod on the first node. */
  readonly etcd?: EtcdClientConfig | undefined;
  readonly without: readonly ControllerName[];
  /** Records what the components do and why. Default: nothing is recorded. */
  readonly scopes?: CauseScopes | undefined;
}

export interface ControlPlane {
  /** Resolves when all components are running. */
  readonly ready: Promise<void>;
  /** Nodes that run pods as processes. */
  readonly nodes: readonly ProcessNode[];
  stop(): Promise<void>;
}

const ETCD_IMAGE = "registry.k8s.io/etcd";

async function fetchOpenApi(transport: Transport, apiVersion: string): Promise<OpenApiDocument | undefined> {
  const path = `/openapi/v3/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`;
  const response = await transport.request({ method: "GET", path });
  const document = await response.json();
  return response.status === 200 ? (document as OpenApiDocument) : undefined;
}

/** Starts the components that make an API server a cluster, on one shared cache: controllers, scheduler, nodes. */
export function startControlPlane({
  transport: plainTransport,
  clock,
  random,
  version,
  authority,
  leaseSeconds,
  register,
  nodes,
  etcd,
  without,
  scopes,
}: ControlPlaneOptions): ControlPlane {
  const transport = scopes?.wrapTransport(plainTransport) ?? plainTransport;
  // Watches run in real time, whatever the cluster's clock is, and use their own random source.
  const streams = seededRandom(random() * 2 ** 32);
  const client = createClient(transport, { fieldManager: "kube-controller-manager", onWarning: () => {}, random: streams });
  const informers = createCache({ client, clock: backgroundClock, random: streams });
  const events = createEventRecorder({ client, clock, bind: scopes?.bind });
  const context: ControllerContext = {
    client: createWriteThroughClient(client, informers),
    cache: informers,
    clock,
    random,
    events,
    createWorkQueue,
    authority,
    fetchOpenApi: (apiVersion) => fetchOpenApi(transport, apiVersion),
  };
  const startComponent: StartComponent = (name, start) =>
    scopes === undefined ? start(context) : recordComponent(name, context, scopes, start);
  const network = createPodIpAllocator("10.244");
  const processNodes =
    typeof nodes === "number"
      ? undefined
      : startComponent("kubelet", (own) => startProcessNodes(own, nodes, { kubeletVersion: version.gitVersion, leaseSeconds }));
  const simulated = Array.from({ length: typeof nodes === "number" ? nodes : 0 }, (_, i) =>
    startComponent(`kubelet node-${i + 1}`, (own) =>
      startSimulatedNode(
        own,
        { name: `node-${i + 1}`, address: `192.0.2.${i + 1}`, kubeletVersion: version.gitVersion, leaseSeconds },
        network,
      ),
    ),
  );
  const all = [...simulated, ...(processNodes?.nodes ?? [])];
  const [first] = all;
  const programs = typeof nodes === "number" ? undefined : findImageEntry(nodes.images, ETCD_IMAGE)?.programs;
  const etcdPod =
    etcd === undefined || first === undefined
      ? undefined
      : startComponent("etcd", (own) => startEtcdPod(own, { node: first.node, address: first.address, etcd, programs }));
  const components: readonly ControlPlaneComponent[] = [
    ...startControllers(startComponent, without),
    ...(processNodes === undefined ? [] : [processNodes]),
    ...simulated,
    ...(etcdPod === undefined ? [] : [etcdPod]),
  ];
  const unregister = all.map(({ node, streams }) =>
    register(node, etcdPod !== undefined && node === first?.node ? etcdPod.wrapStreams(streams) : streams),
  );
  const ready = Promise.all(components.map((component) => component.ready)).then(() => {});
  // Callers that await `ready` receive the failure; without any it must not be unhandled.
  runInBackground(ready, ignoreError);
  return {
    ready,
    nodes: processNodes?.nodes ?? [],
    async stop(): Promise<void> {
      for (const unregisterNode of unregister) unregisterNode();
      await Promise.all(components.map((component) => component.stop()));
      await events.flush();
      await informers.stop();
    },
  };
}
