import type { Node, Pod } from "pintle/kinds/core/v1";
import { selectsNode } from "../node-selector.ts";
import { tolerates } from "../toleration.ts";
import { type Share, sizeOf, type Taken } from "./ledger.ts";

/** Why a pod may not run on a node, in the scheduler's words; `hopeless` when it would not help to send others away. */
export interface Misfit {
  readonly reasons: readonly string[];
  readonly hopeless: boolean;
}

const DEFAULT_PODS = 110;

/** What of a node itself is in the pod's way: the first thing found. Undefined when nothing is. Pure. */
export function misfit(pod: Pod, share: Share, node: Node, taken: Taken): Misfit | undefined {
  const { tolerations } = pod.spec;
  if (node.spec.unschedulable && !tolerates(tolerations, { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" })) {
    return hopeless("node(s) were unschedulable");
  }
  const taint = node.spec.taints?.find((each) => each.effect !== "PreferNoSchedule" && !tolerates(tolerations, each));
  if (taint !== undefined) return hopeless("node(s) had untolerated taint(s)");
  if (!selectsNode(pod.spec, node)) return hopeless("node(s) didn't match Pod's node affinity/selector");
  if (share.ports.some(taken.hasPort)) return { reasons: ["node(s) didn't have free ports for the requested pod ports"], hopeless: false };
  return tooLittle(share, node, taken);
}

const hopeless = (reason: string): Misfit => ({ reasons: [reason], hopeless: true });

function tooLittle({ requests }: Share, node: Node, taken: Taken): Misfit | undefined {
  const full = taken.pods >= Number(node.status.allocatable?.["pods"] ?? DEFAULT_PODS);
  const short = [...requests].filter(([name, wanted]) => wanted > 0n && wanted > sizeOf(node, name) - taken.of(name));
  if (!full && short.length === 0) return undefined;
  return {
    reasons: [...(full ? ["Too many pods"] : []), ...short.map(([name]) => `Insufficient ${name}`)],
    // More than the whole node has.
    hopeless: short.some(([name, wanted]) => wanted > sizeOf(node, name)),
  };
}

/** `0/2 nodes are available: 1 Too many pods, 1 node(s) were unschedulable. ...` Pure. */
export function unschedulableMessage(misfits: readonly Misfit[]): string {
  const nodes = misfits.length;
  if (nodes === 0) return "no nodes available to schedule pods";
  const why = counted(misfits.flatMap(({ reasons }) => reasons));
  const eviction = counted(
    misfits.map((each) => (each.hopeless ? "Preemption is not helpful for scheduling" : "No preemption victims found for incoming pod")),
  );
  return `0/${nodes} nodes are available: ${why}. no new claims to deallocate, preemption: 0/${nodes} nodes are available: ${eviction}.`;
}

/** The same for what is wrong with the pod on every node. */
export function unschedulableAnywhere(nodes: number, why: string): string {
  return nodes === 0 ? "no nodes available to schedule pods" : `0/${nodes} nodes are available: ${why}. not found`;
}

function counted(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .map(([text, count]) => `${count} ${text}`)
    .sort()
    .join(", ");
}
