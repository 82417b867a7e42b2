import { compileLabelSelector } from "pintle/internal/selectors";
import type { Node, Pod, PodAffinityTerm, TopologySpreadConstraint } from "pintle/kinds/core/v1";
import type { FilterFailure } from "./node-filters.ts";

/** The other pods that inter-pod affinity and topology spread are evaluated against. */
export interface InterPodAffinityState {
  /** Returns the pods on a node, including assumed ones. */
  getPodsOnNode(node: string): readonly Pod[];
  readonly nodes: readonly Node[];
  /** All pods with a required anti-affinity. */
  readonly podsWithAntiAffinity: readonly Pod[];
}

const getRequiredTerms = (pod: Pod, which: "podAffinity" | "podAntiAffinity"): readonly PodAffinityTerm[] =>
  pod.spec.affinity?.[which]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** Returns whether a pod has required affinity, anti-affinity or spread constraints. */
export function hasInterPodConstraints(pod: Pod): boolean {
  return (
    getRequiredTerms(pod, "podAffinity").length + getRequiredTerms(pod, "podAntiAffinity").length + getHardSpreadConstraints(pod).length > 0
  );
}
export const hasRequiredAntiAffinity = (pod: Pod) => getRequiredTerms(pod, "podAntiAffinity").length > 0;
const getHardSpreadConstraints = ({ spec }: Pod) =>
  (spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule");

/** Checks inter-pod affinity, anti-affinity and topology spread of a pod on a node. Pure. */
export function checkInterPodAffinity(pod: Pod, node: Node, state: InterPodAffinityState): FilterFailure | undefined {
  for (const constraint of getHardSpreadConstraints(pod)) {
    const found = checkTopologySpread(pod, node, constraint, state);
    if (found !== undefined) return found;
  }
  if (!getRequiredTerms(pod, "podAffinity").every((term) => satisfiesAffinityTerm(pod, node, term, state))) {
    return { reasons: ["node(s) didn't match pod affinity rules"], isUnresolvable: true };
  }
  if (
    getRequiredTerms(pod, "podAntiAffinity").some((term) =>
      listPodsInTopologyDomain(node, term.topologyKey, state).some((other) => matchesAffinityTerm(term, pod, other)),
    )
  ) {
    return { reasons: ["node(s) didn't match pod anti-affinity rules"], isUnresolvable: false };
  }
  const isRejected = state.podsWithAntiAffinity.some((other) =>
    getRequiredTerms(other, "podAntiAffinity").some(
      (term) => matchesAffinityTerm(term, other, pod) && listPodsInTopologyDomain(node, term.topologyKey, state).includes(other),
    ),
  );
  return isRejected ? { reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"], isUnresolvable: false } : undefined;
}

/** The first pod of a group that has affinity to itself may run on any node. */
function satisfiesAffinityTerm(pod: Pod, node: Node, term: PodAffinityTerm, state: InterPodAffinityState): boolean {
  if (node.metadata.labels?.[term.topologyKey] === undefined) return false;
  if (listPodsInTopologyDomain(node, term.topologyKey, state).some((other) => matchesAffinityTerm(term, pod, other))) return true;
  const anywhere = state.nodes.some(({ metadata }) =>
    state.getPodsOnNode(metadata.name).some((other) => matchesAffinityTerm(term, pod, other)),
  );
  return !anywhere && matchesAffinityTerm(term, pod, pod);
}

/** Returns whether an affinity term of `owner` selects `other`. */
function matchesAffinityTerm({ labelSelector: selector, namespaces, namespaceSelector }: PodAffinityTerm, owner: Pod, other: Pod): boolean {
  const named = namespaces ?? [];
  const isInNamespace =
    named.length === 0 && namespaceSelector === undefined
      ? other.metadata.namespace === owner.metadata.namespace
      : named.includes(other.metadata.namespace) || namespaceSelector !== undefined;
  return isInNamespace && selector !== undefined && compileLabelSelector(selector).matches(other.metadata.labels);
}

/** Lists the pods on all nodes with the same value of the topology key. */
function listPodsInTopologyDomain(node: Node, topologyKey: string, { nodes, getPodsOnNode }: InterPodAffinityState): readonly Pod[] {
  const domain = node.metadata.labels?.[topologyKey];
  if (domain === undefined) return [];
  return nodes.filter(({ metadata }) => metadata.labels?.[topologyKey] === domain).flatMap(({ metadata }) => getPodsOnNode(metadata.name));
}

function checkTopologySpread(
  pod: Pod,
  node: Node,
  { topologyKey, maxSkew, labelSelector: selector }: TopologySpreadConstraint,
  state: InterPodAffinityState,
): FilterFailure | undefined {
  if (node.metadata.labels?.[topologyKey] === undefined) {
    return { reasons: ["node(s) didn't match pod topology spread constraints (missing required label)"], isUnresolvable: true };
  }
  const matcher = compileLabelSelector(selector);
  const count = (at: Node) =>
    listPodsInTopologyDomain(at, topologyKey, state).filter(
      (other) =>
        other.metadata.namespace === pod.metadata.namespace &&
        other.metadata.deletionTimestamp === undefined &&
        matcher.matches(other.metadata.labels),
    ).length;
  const eligibleNodes = state.nodes.filter(({ metadata }) => metadata.labels?.[topologyKey] !== undefined);
  const minCount = Math.min(...eligibleNodes.map(count));
  const self = matcher.matches(pod.metadata.labels) ? 1 : 0;
  return count(node) + self - minCount > maxSkew
    ? { reasons: ["node(s) didn't match pod topology spread constraints"], isUnresolvable: false }
    : undefined;
}
