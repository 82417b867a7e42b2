import { labelSelector } from "pintle/cache";
import type { Node, Pod, PodAffinityTerm, TopologySpreadConstraint } from "pintle/kinds/core/v1";
import type { Misfit } from "./fit.ts";

/** What is asked about other pods. */
export interface Company {
  /** The pods on a node, also those about to be. */
  podsOn(node: string): readonly Pod[];
  readonly nodes: readonly Node[];
  /** Pods that keep others away, wherever they are. */
  readonly repelling: readonly Pod[];
}

const required = (pod: Pod, which: "podAffinity" | "podAntiAffinity"): readonly PodAffinityTerm[] =>
  pod.spec.affinity?.[which]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** A pod that wants others near or far, or to be spread: only then company matters. */
export function caresForCompany(pod: Pod): boolean {
  return required(pod, "podAffinity").length + required(pod, "podAntiAffinity").length + hardSpread(pod).length > 0;
}
export const repels = (pod: Pod) => required(pod, "podAntiAffinity").length > 0;
const hardSpread = ({ spec }: Pod) =>
  (spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule");

/** Whether other pods are in the way, or not there where they are wanted. Pure. */
export function companyMisfit(pod: Pod, node: Node, company: Company): Misfit | undefined {
  for (const constraint of hardSpread(pod)) {
    const found = spreadMisfit(pod, node, constraint, company);
    if (found !== undefined) return found;
  }
  if (!required(pod, "podAffinity").every((term) => hasFriend(pod, node, term, company))) {
    return { reasons: ["node(s) didn't match pod affinity rules"], hopeless: true };
  }
  if (
    required(pod, "podAntiAffinity").some((term) => neighbours(node, term.topologyKey, company).some((other) => chooses(term, pod, other)))
  ) {
    return { reasons: ["node(s) didn't match pod anti-affinity rules"], hopeless: false };
  }
  const repelled = company.repelling.some((other) =>
    required(other, "podAntiAffinity").some(
      (term) => chooses(term, other, pod) && neighbours(node, term.topologyKey, company).includes(other),
    ),
  );
  return repelled ? { reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"], hopeless: false } : undefined;
}

/** The first of a group that wants to be together finds nobody yet: it may go anywhere. */
function hasFriend(pod: Pod, node: Node, term: PodAffinityTerm, company: Company): boolean {
  if (node.metadata.labels?.[term.topologyKey] === undefined) return false;
  if (neighbours(node, term.topologyKey, company).some((other) => chooses(term, pod, other))) return true;
  const anywhere = company.nodes.some(({ metadata }) => company.podsOn(metadata.name).some((other) => chooses(term, pod, other)));
  return !anywhere && chooses(term, pod, pod);
}

/** Whether a term of `owner` speaks of `other`. */
function chooses({ labelSelector: selector, namespaces, namespaceSelector }: PodAffinityTerm, owner: Pod, other: Pod): boolean {
  const named = namespaces ?? [];
  const within =
    named.length === 0 && namespaceSelector === undefined
      ? other.metadata.namespace === owner.metadata.namespace
      : named.includes(other.metadata.namespace) || namespaceSelector !== undefined;
  return within && selector !== undefined && labelSelector(selector).matches(other.metadata.labels);
}

/** Pods in the same zone, on the same host, or whatever the key says. */
function neighbours(node: Node, topologyKey: string, { nodes, podsOn }: Company): readonly Pod[] {
  const place = node.metadata.labels?.[topologyKey];
  if (place === undefined) return [];
  return nodes.filter(({ metadata }) => metadata.labels?.[topologyKey] === place).flatMap(({ metadata }) => podsOn(metadata.name));
}

function spreadMisfit(
  pod: Pod,
  node: Node,
  { topologyKey, maxSkew, labelSelector: selector }: TopologySpreadConstraint,
  company: Company,
): Misfit | undefined {
  if (node.metadata.labels?.[topologyKey] === undefined) {
    return { reasons: ["node(s) didn't match pod topology spread constraints (missing required label)"], hopeless: true };
  }
  const chosen = labelSelector(selector);
  const count = (at: Node) =>
    neighbours(at, topologyKey, company).filter(
      (other) =>
        other.metadata.namespace === pod.metadata.namespace &&
        other.metadata.deletionTimestamp === undefined &&
        chosen.matches(other.metadata.labels),
    ).length;
  const places = company.nodes.filter(({ metadata }) => metadata.labels?.[topologyKey] !== undefined);
  const least = Math.min(...places.map(count));
  const self = chosen.matches(pod.metadata.labels) ? 1 : 0;
  return count(node) + self - least > maxSkew
    ? { reasons: ["node(s) didn't match pod topology spread constraints"], hopeless: false }
    : undefined;
}
