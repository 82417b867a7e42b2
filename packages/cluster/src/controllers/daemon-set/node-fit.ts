import type { Node, NodeSelectorTerm, PodSpec, PodTemplateSpec, Toleration } from "pintle/kinds/core/v1";
import { matchesNodeSelectorAndAffinity } from "../shared/node-affinity.ts";
import { toleratesTaint } from "../shared/tolerations.ts";

/** Returns the tolerations that every daemon pod gets, so that it also runs on unhealthy nodes. */
function getDaemonTolerations({ hostNetwork }: PodSpec): readonly Toleration[] {
  const prefix = "node.kubernetes.io";
  const toleration = (name: string, effect: "NoSchedule" | "NoExecute"): Toleration => ({
    key: `${prefix}/${name}`,
    operator: "Exists",
    effect,
  });
  return [
    toleration("not-ready", "NoExecute"),
    toleration("unreachable", "NoExecute"),
    toleration("disk-pressure", "NoSchedule"),
    toleration("memory-pressure", "NoSchedule"),
    toleration("pid-pressure", "NoSchedule"),
    toleration("unschedulable", "NoSchedule"),
    ...(hostNetwork ? [toleration("network-unavailable", "NoSchedule")] : []),
  ];
}

/** Builds the pod spec of a DaemonSet before the node affinity is added. */
export function buildDaemonPodSpec(template: PodTemplateSpec): PodSpec {
  const spec = template.spec ?? { containers: [] };
  const tolerations = spec.tolerations ?? [];
  const added = getDaemonTolerations(spec).filter(
    ({ key, effect }) => !tolerations.some((each) => each.key === key && each.effect === effect && each.operator === "Exists"),
  );
  return { ...spec, tolerations: [...tolerations, ...added] };
}

/** Restricts a pod to one node by a node affinity on its name, which the scheduler honours. */
export function pinToNode(spec: PodSpec, node: string): PodSpec {
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

/** Returns the node a pod is bound to, or restricted to by its affinity. */
export function getTargetNode(spec: PodSpec): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchFields = [] }) => matchFields).find(({ key }) => key === "metadata.name")?.values?.[0];
}

/** Decides whether a daemon pod should run on a node, and whether an existing one may continue to run there. Pure. */
export function nodeShouldRunDaemonPod(
  spec: PodSpec,
  node: Node,
): { readonly shouldRun: boolean; readonly shouldContinueRunning: boolean } {
  if (!matchesNodeSelectorAndAffinity(spec, node)) return { shouldRun: false, shouldContinueRunning: false };
  const hasUntolerated = (effects: readonly string[]) =>
    (node.spec.taints ?? []).some((taint) => effects.includes(taint.effect) && !toleratesTaint(spec.tolerations, taint));
  return { shouldRun: !hasUntolerated(["NoSchedule", "NoExecute"]), shouldContinueRunning: !hasUntolerated(["NoExecute"]) };
}
