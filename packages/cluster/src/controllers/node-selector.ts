import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from "pintle/kinds/core/v1";

/** Whether a pod's nodeSelector and required node affinity allow the node. */
export function selectsNode(spec: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || inTerms(terms, node);
}

/** Whether any of the terms chooses the node. */
export function inTerms(terms: readonly NodeSelectorTerm[], node: Node): boolean {
  return terms.some((term) => inTerm(term, node));
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
