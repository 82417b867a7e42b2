import { type Client, NotFound } from "pintle/client";
import type { OwnerReference } from "pintle/kinds";
import { ReplicaSet } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { getControllerOf } from "../shared/owner-reference.ts";

/** Counts the pods that the controllers of these pods should run in total, and collects the pods without a scalable controller. */
export async function countExpectedPods(
  client: Client,
  pods: readonly Pod[],
): Promise<{ readonly count: number; readonly unmanaged: readonly Pod[] }> {
  const sizes = new Map<string, number>();
  const unmanaged: Pod[] = [];
  for (const pod of pods) {
    const owner = getControllerOf(pod);
    const root = owner && (await findScalableOwner(client, owner, pod.metadata.namespace));
    if (root === undefined) unmanaged.push(pod);
    else if (!sizes.has(root.uid)) sizes.set(root.uid, root.replicas);
  }
  return { count: [...sizes.values()].reduce((sum, size) => sum + size, 0), unmanaged };
}

/** Finds the topmost owner with a scale subresource: for a ReplicaSet its Deployment, if it has one. */
async function findScalableOwner(
  client: Client,
  owner: OwnerReference,
  namespace: string,
): Promise<{ readonly uid: string; readonly replicas: number } | undefined> {
  try {
    const kind = await client.discoverKind(owner.apiVersion, owner.kind);
    const live = (await client.get(kind, { name: owner.name, namespace })) as unknown as ReplicaSet;
    if (live.metadata.uid !== owner.uid) return undefined;
    const above = owner.kind === ReplicaSet.kind ? getControllerOf(live) : undefined;
    if (above !== undefined) return findScalableOwner(client, above, namespace);
    const scale = await client.scale.get(kind as never, { name: owner.name, namespace } as never);
    return { uid: owner.uid, replicas: scale.spec?.replicas ?? 0 };
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}
