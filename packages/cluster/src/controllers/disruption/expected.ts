import { type Client, NotFound } from "pintle/client";
import type { OwnerReference } from "pintle/kinds";
import { ReplicaSet } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { controllerOf } from "../owner.ts";

/** How many pods the controllers of these pods want in all; undefined when a pod has none that can say. */
export async function expectedPods(
  client: Client,
  pods: readonly Pod[],
): Promise<{ readonly count: number; readonly unmanaged: readonly Pod[] }> {
  const sizes = new Map<string, number>();
  const unmanaged: Pod[] = [];
  for (const pod of pods) {
    const owner = controllerOf(pod);
    const root = owner && (await rootOf(client, owner, pod.metadata.namespace));
    if (root === undefined) unmanaged.push(pod);
    else if (!sizes.has(root.uid)) sizes.set(root.uid, root.size);
  }
  return { count: [...sizes.values()].reduce((sum, size) => sum + size, 0), unmanaged };
}

/** The one at the top that can be scaled: of a ReplicaSet its Deployment, if it has one. */
async function rootOf(
  client: Client,
  owner: OwnerReference,
  namespace: string,
): Promise<{ readonly uid: string; readonly size: number } | undefined> {
  try {
    const kind = await client.kind(owner.apiVersion, owner.kind);
    const live = (await client.get(kind, { name: owner.name, namespace })) as unknown as ReplicaSet;
    if (live.metadata.uid !== owner.uid) return undefined;
    const above = owner.kind === ReplicaSet.kind ? controllerOf(live) : undefined;
    if (above !== undefined) return rootOf(client, above, namespace);
    const scale = await client.scale.get(kind as never, { name: owner.name, namespace } as never);
    return { uid: owner.uid, size: scale.spec?.replicas ?? 0 };
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}
