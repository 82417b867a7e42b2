import type { Node, Pod } from "pintle/kinds/core/v1";
import { matchesNodeSelectorAndAffinity } from "../shared/node-affinity.ts";
import { toleratesTaint } from "../shared/tolerations.ts";
import { getAllocatable, type NodeInfo, type PodRequests } from "./scheduler-cache.ts";

/** Why a node does not fit a pod. `isUnresolvable` means that preemption would not help. */
export interface FilterFailure {
  readonly reasons: readonly string[];
  readonly isUnresolvable: boolean;
}

const DEFAULT_POD_LIMIT = 110;

/** Runs the node filters; returns the first failure, or undefined if the node fits. Pure. */
export function filterNode(pod: Pod, request: PodRequests, node: Node, nodeInfo: NodeInfo): FilterFailure | undefined {
  const { tolerations } = pod.spec;
  if (node.spec.unschedulable && !toleratesTaint(tolerations, { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" })) {
    return unresolvable("node(s) were unschedulable");
  }
  const taint = node.spec.taints?.find((each) => each.effect !== "PreferNoSchedule" && !toleratesTaint(tolerations, each));
  if (taint !== undefined) return unresolvable("node(s) had untolerated taint(s)");
  if (!matchesNodeSelectorAndAffinity(pod.spec, node)) return unresolvable("node(s) didn't match Pod's node affinity/selector");
  if (request.hostPorts.some(nodeInfo.hasPort))
    return { reasons: ["node(s) didn't have free ports for the requested pod ports"], isUnresolvable: false };
  return checkResources(request, node, nodeInfo);
}

const unresolvable = (reason: string): FilterFailure => ({ reasons: [reason], isUnresolvable: true });

function checkResources({ requests }: PodRequests, node: Node, nodeInfo: NodeInfo): FilterFailure | undefined {
  const isFull = nodeInfo.pods >= Number(node.status.allocatable?.["pods"] ?? DEFAULT_POD_LIMIT);
  const insufficient = [...requests].filter(
    ([name, requested]) => requested > 0n && requested > getAllocatable(node, name) - nodeInfo.requested(name),
  );
  if (!isFull && insufficient.length === 0) return undefined;
  return {
    reasons: [...(isFull ? ["Too many pods"] : []), ...insufficient.map(([name]) => `Insufficient ${name}`)],
    // More than the node has in total.
    isUnresolvable: insufficient.some(([name, requested]) => requested > getAllocatable(node, name)),
  };
}

/** Formats `0/2 nodes are available: 1 Too many pods, 1 node(s) were unschedulable. ...` Pure. */
export function formatUnschedulable(failures: readonly FilterFailure[]): string {
  const nodes = failures.length;
  if (nodes === 0) return "no nodes available to schedule pods";
  const reasonCounts = countReasons(failures.flatMap(({ reasons }) => reasons));
  const preemption = countReasons(
    failures.map((each) =>
      each.isUnresolvable ? "Preemption is not helpful for scheduling" : "No preemption victims found for incoming pod",
    ),
  );
  return `0/${nodes} nodes are available: ${reasonCounts}. no new claims to deallocate, preemption: 0/${nodes} nodes are available: ${preemption}.`;
}

/** Formats the message for a reason that holds for every node. */
export function formatUnschedulablePod(nodes: number, reason: string): string {
  return nodes === 0 ? "no nodes available to schedule pods" : `0/${nodes} nodes are available: ${reason}. not found`;
}

function countReasons(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .map(([text, count]) => `${count} ${text}`)
    .sort()
    .join(", ");
}
