import type { Node, Pod, Taint } from "pintle/kinds/core/v1";
import { covers } from "../toleration.ts";

/**
 * How long a pod may stay on a node with NoExecute taints: until a time in milliseconds, for ever (undefined), or not at all
 * (0). Of all tolerations that count the shortest decides. Pure.
 */
export function stayUntil(pod: Pod, node: Node, since: (taint: Taint) => number): number | undefined {
  const taints = (node.spec.taints ?? []).filter(({ effect }) => effect === "NoExecute");
  let until: number | undefined;
  for (const taint of taints) {
    const bearing = (pod.spec.tolerations ?? []).filter((toleration) => covers(toleration, taint));
    if (bearing.length === 0) return 0;
    const seconds = bearing.flatMap(({ tolerationSeconds }) => (tolerationSeconds === undefined ? [] : [Math.max(0, tolerationSeconds)]));
    if (seconds.length > 0) until = Math.min(until ?? Number.POSITIVE_INFINITY, since(taint) + Math.min(...seconds) * 1000);
  }
  return until;
}
