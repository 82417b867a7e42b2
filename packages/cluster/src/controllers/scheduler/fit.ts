import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod, Taint, Toleration } from "pintle/kinds/core/v1";

/** Why a pod may not run on a node, in the scheduler's words; undefined when it may. Pure. */
export function misfit(pod: Pod, node: Node, podsThere: number): string | undefined {
  if (node.spec.unschedulable && !tolerates(pod, { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" })) {
    return "node(s) were unschedulable";
  }
  const taint = node.spec.taints?.find((t) => t.effect !== "PreferNoSchedule" && !tolerates(pod, t));
  if (taint !== undefined) return "node(s) had untolerated taint(s)";
  if (!selected(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  if (podsThere >= Number(node.status.allocatable?.["pods"] ?? 110)) return "Too many pods";
  return undefined;
}

/** `0/2 nodes are available: 1 Too many pods, 1 node(s) were unschedulable. ...` */
export function unschedulableMessage(nodes: number, reasons: readonly string[]): string {
  if (nodes === 0) return "no nodes available to schedule pods";
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const texts = [...counts].map(([reason, n]) => `${n} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${texts.join(", ")}.`;
}

function tolerates(pod: Pod, taint: Taint): boolean {
  return (pod.spec.tolerations ?? []).some((t) => covers(t, taint));
}

function covers({ key, operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== undefined && key !== "" && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}

function selected(pod: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => inTerm(term, node));
}

/** A term without any requirement matches nothing. */
function inTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((e) => holds(e, node.metadata.labels?.[e.key])) &&
    matchFields.every((e) => e.key === "metadata.name" && holds(e, node.metadata.name))
  );
}

function holds({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
  }
}
