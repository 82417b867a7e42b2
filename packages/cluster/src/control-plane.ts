import { cache, writesThrough } from "pintle/cache";
import { clientOver, type Transport } from "pintle/client";
import { type Clock, type Random, seeded } from "pintle/queue";
import { backgroundClock, type VersionInfo } from "./api/index.ts";
import { controllers, eventRecorder, type Part, type PartName, type Plant } from "./controllers/index.ts";
import {
  addresses,
  type EtcdPlace,
  entryOf,
  etcdPod,
  type NodeStreams,
  type ProcessNode,
  processNodes,
  type Site,
  simulatedNode,
} from "./node/index.ts";

export interface ControlPlaneOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: VersionInfo;
  /** PEM; whom clients of this cluster should trust. */
  readonly authority: string;
  /** For how long a sign of life of a simulated node counts. */
  readonly leaseSeconds: number;
  /** Told of every node that can be asked for logs and the like; the function returned takes that back. */
  register(node: string, streams: NodeStreams): () => void;
  /** How many simulated nodes, or where process nodes are. */
  readonly nodes: number | Site;
  /** Where objects are kept, if that is etcd: it is shown as a pod of the first node. */
  readonly etcd?: EtcdPlace | undefined;
  readonly without: readonly PartName[];
}

export interface ControlPlane {
  /** Resolves when every part is at work. */
  readonly ready: Promise<void>;
  /** Nodes whose pods are processes. */
  readonly nodes: readonly ProcessNode[];
  stop(): Promise<void>;
}

const ETCD_IMAGE = "registry.k8s.io/etcd";

/** The parts that make an API server a cluster, on one cache: controllers, scheduler, nodes. */
export function controlPlane({
  transport,
  clock,
  random,
  version,
  authority,
  leaseSeconds,
  register,
  nodes,
  etcd,
  without,
}: ControlPlaneOptions): ControlPlane {
  // Streams live in real time, whatever the cluster's clock says, and draw from randomness of their own.
  const streams = seeded(random() * 2 ** 32);
  const client = clientOver(transport, { fieldManager: "kube-controller-manager", onWarning: () => {}, random: streams });
  const known = cache({ client, clock: backgroundClock, random: streams });
  const events = eventRecorder({ client, clock });
  const plant: Plant = { client: writesThrough(client, known), cache: known, clock, random, events, authority };
  const network = addresses("10.244");
  const real = typeof nodes === "number" ? undefined : processNodes(plant, nodes, { kubeletVersion: version.gitVersion, leaseSeconds });
  const simulated = Array.from({ length: typeof nodes === "number" ? nodes : 0 }, (_, i) =>
    simulatedNode(plant, { name: `node-${i + 1}`, address: `192.0.2.${i + 1}`, kubeletVersion: version.gitVersion, leaseSeconds }, network),
  );
  const all = [...simulated, ...(real?.nodes ?? [])];
  const [first] = all;
  const programs = typeof nodes === "number" ? undefined : entryOf(nodes.images, ETCD_IMAGE)?.programs;
  const kept =
    etcd === undefined || first === undefined ? undefined : etcdPod(plant, { node: first.node, address: first.address, etcd, programs });
  const parts: readonly Part[] = [
    ...controllers(plant, without),
    ...(real === undefined ? [] : [real]),
    ...simulated,
    ...(kept === undefined ? [] : [kept]),
  ];
  const registered = all.map(({ node, streams }) =>
    register(node, kept !== undefined && node === first?.node ? kept.among(streams) : streams),
  );
  const ready = Promise.all(parts.map((part) => part.ready)).then(() => {});
  // Whoever waits for it hears of a failure; nobody has to wait.
  ready.catch(() => {});
  return {
    ready,
    nodes: real?.nodes ?? [],
    async stop(): Promise<void> {
      for (const forget of registered) forget();
      await Promise.all(parts.map((part) => part.stop()));
      await events.flush();
      await known.stop();
    },
  };
}
