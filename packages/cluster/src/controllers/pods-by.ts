import type { View } from "pintle/cache";
import type { Pod } from "pintle/kinds/core/v1";

const NODE = "node";
const CLAIM = "claim";
const nodeOf = ({ spec }: Pod) => (spec.nodeName ? [spec.nodeName] : []);

/** The pods on a node. */
export function podsByNode(view: View<Pod>): (node: string) => readonly Pod[] {
  view.index(NODE, nodeOf);
  return (node) => view.by(NODE, node);
}

/** "namespace/name" of every claim a pod mounts. */
export function claimsOf(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`);
    return claim === undefined ? [] : [`${pod.metadata.namespace}/${claim}`];
  });
}

/** The pods that mount a claim, by its "namespace/name". */
export function podsByClaim(view: View<Pod>): (claim: string) => readonly Pod[] {
  view.index(CLAIM, claimsOf);
  return (claim) => view.by(CLAIM, claim);
}
