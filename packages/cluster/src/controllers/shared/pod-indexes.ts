import type { CachedView } from "pintle/internal/cache";
import type { Pod } from "pintle/kinds/core/v1";

const NODE_INDEX = "node";
const CLAIM_INDEX = "claim";
const getNodeKeys = ({ spec }: Pod) => (spec.nodeName ? [spec.nodeName] : []);

/** Indexes pods by node. Returns the lookup. */
export function indexPodsByNode(view: CachedView<Pod>): (node: string) => readonly Pod[] {
  view.addIndex(NODE_INDEX, getNodeKeys);
  return (node) => view.byIndex(NODE_INDEX, node);
}

/** Lists the "namespace/name" of every claim that a pod mounts. */
export function listPodClaims(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`);
    return claim === undefined ? [] : [`${pod.metadata.namespace}/${claim}`];
  });
}

/** Indexes pods by the claims they mount. The returned lookup takes the claim's "namespace/name". */
export function indexPodsByClaim(view: CachedView<Pod>): (claim: string) => readonly Pod[] {
  view.addIndex(CLAIM_INDEX, listPodClaims);
  return (claim) => view.byIndex(CLAIM_INDEX, claim);
}
