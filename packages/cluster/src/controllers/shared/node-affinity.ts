import { getLabel, matchesRequirement, matchesRequirements } from "pintle/internal/selectors";
import type { Node, NodeSelectorTerm, PodSpec } from "pintle/kinds/core/v1";

/** Returns whether the node matches the pod's nodeSelector and required node affinity. */
export function matchesNodeSelectorAndAffinity(spec: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => getLabel(labels, key) === value)) return false;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || matchesNodeSelectorTerms(terms, node);
}

/** Returns whether any of the terms matches the node. */
export function matchesNodeSelectorTerms(terms: readonly NodeSelectorTerm[], node: Node): boolean {
  return terms.some((term) => matchesNodeSelectorTerm(term, node));
}

/** A term without requirements matches nothing. */
function matchesNodeSelectorTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchesRequirements(matchExpressions, node.metadata.labels) &&
    matchFields.every((e) => e.key === "metadata.name" && matchesRequirement(e, node.metadata.name))
  );
}
