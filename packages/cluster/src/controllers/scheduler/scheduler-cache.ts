import type { Node, Pod } from "pintle/kinds/core/v1";
import { nanos, sumPodResources } from "../../builtin/index.ts";

/** The resources and host ports that a pod requests. */
export interface PodRequests {
  readonly requests: ReadonlyMap<string, bigint>;
  /** "protocol/port" on the node. */
  readonly hostPorts: readonly string[];
}

export function computePodRequests(pod: Pod): PodRequests {
  const requests = new Map(Object.entries(sumPodResources(pod as never, "requests")).map(([name, value]) => [name, nanos(value)]));
  const hostPorts = pod.spec.containers.flatMap((container) =>
    (container.ports ?? []).flatMap(({ hostPort, protocol = "TCP", containerPort }) => {
      const port = pod.spec.hostNetwork ? (hostPort ?? containerPort) : hostPort;
      return port ? [`${protocol}/${port}`] : [];
    }),
  );
  return { requests, hostPorts };
}

/** What the pods of a node use. */
export interface NodeInfo {
  readonly pods: number;
  requested(resource: string): bigint;
  hasPort(port: string): boolean;
}

interface NodeUsage {
  pods: number;
  readonly sums: Map<string, bigint>;
  readonly ports: Map<string, number>;
}

/** Creates the scheduler cache: the requests of bound and assumed pods, by node. */
export function createSchedulerCache() {
  const usageByNode = new Map<string, NodeUsage>();
  const podsByUid = new Map<string, { readonly node: string; readonly requests: PodRequests }>();
  const getUsage = (node: string) => {
    const usage = usageByNode.get(node) ?? { pods: 0, sums: new Map(), ports: new Map() };
    usageByNode.set(node, usage);
    return usage;
  };
  const updateUsage = (node: string, { requests, hostPorts }: PodRequests, sign: 1 | -1) => {
    const usage = getUsage(node);
    usage.pods += sign;
    for (const [name, value] of requests) usage.sums.set(name, (usage.sums.get(name) ?? 0n) + BigInt(sign) * value);
    for (const port of hostPorts) usage.ports.set(port, (usage.ports.get(port) ?? 0) + sign);
  };
  const removePod = (uid: string) => {
    const pod = podsByUid.get(uid);
    if (pod === undefined) return;
    podsByUid.delete(uid);
    updateUsage(pod.node, pod.requests, -1);
  };
  return {
    removePod,
    addPod(uid: string, node: string, pod: Pod): void {
      if (podsByUid.get(uid)?.node === node) return;
      removePod(uid);
      const requests = computePodRequests(pod);
      podsByUid.set(uid, { node, requests });
      updateUsage(node, requests, 1);
    },
    getNodeInfo(node: string): NodeInfo {
      const usage = usageByNode.get(node);
      return {
        pods: usage?.pods ?? 0,
        requested: (resource) => usage?.sums.get(resource) ?? 0n,
        hasPort: (port) => (usage?.ports.get(port) ?? 0) > 0,
      };
    },
  };
}

/** Returns the allocatable amount of a resource, in billionths. */
export function getAllocatable({ status }: Node, resource: string): bigint {
  return nanos(status.allocatable?.[resource] ?? "0");
}
