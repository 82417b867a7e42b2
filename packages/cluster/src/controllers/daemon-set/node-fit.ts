import type { Node, NodeSelectorTerm, PodSpec, PodTemplateSpec, Toleration } from "pintle/kinds/core/v1";
import { selectsNode } from "../node-selector.ts";
import { tolerates } from "../toleration.ts";

/** What every daemon bears, so that it is there also on nodes in trouble. */
function borne({ hostNetwork }: PodSpec): readonly Toleration[] {
  const prefix = "node.kubernetes.io";
  const bears = (name: string, effect: "NoSchedule" | "NoExecute"): Toleration => ({
    key: `${prefix}/${name}`,
    operator: "Exists",
    effect,
  });
  return [
    bears("not-ready", "NoExecute"),
    bears("unreachable", "NoExecute"),
    bears("disk-pressure", "NoSchedule"),
    bears("memory-pressure", "NoSchedule"),
    bears("pid-pressure", "NoSchedule"),
    bears("unschedulable", "NoSchedule"),
    ...(hostNetwork ? [bears("network-unavailable", "NoSchedule")] : []),
  ];
}

/** The spec of a daemon's pod before it is tied to a node. */
export function daemonSpec(template: PodTemplateSpec): PodSpec {
  const spec = template.spec ?? { containers: [] };
  const own = spec.tolerations ?? [];
  const added = borne(spec).filter(
    ({ key, effect }) => !own.some((each) => each.key === key && each.effect === effect && each.operator === "Exists"),
  );
  return { ...spec, tolerations: [...own, ...added] };
}

/** Ties a pod to one node, by name, in a way that the scheduler sees. */
export function tiedTo(spec: PodSpec, node: string): PodSpec {
  const term: NodeSelectorTerm = { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] };
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required === undefined ? [term] : required.nodeSelectorTerms.map((each) => ({ ...each, matchFields: term.matchFields }));
  return {
    ...spec,
    affinity: {
      ...spec.affinity,
      nodeAffinity: { ...spec.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
    },
  };
}

/** The node a pod is on, or is tied to. */
export function nodeOf(spec: PodSpec): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchFields = [] }) => matchFields).find(({ key }) => key === "metadata.name")?.values?.[0];
}

/** Whether a daemon belongs on a node, and whether one that is there may stay. Pure. */
export function daemonFit(spec: PodSpec, node: Node): { readonly run: boolean; readonly stay: boolean } {
  if (!selectsNode(spec, node)) return { run: false, stay: false };
  const intolerable = (effects: readonly string[]) =>
    (node.spec.taints ?? []).some((taint) => effects.includes(taint.effect) && !tolerates(spec.tolerations, taint));
  return { run: !intolerable(["NoSchedule", "NoExecute"]), stay: !intolerable(["NoExecute"]) };
}
