import type { StoredObject } from "../../cache/index.ts";
import { type Client, Conflict, NotFound } from "../../client/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import { type Controller, canBeCrossNamespace } from "../declare/controller.ts";
import { KEEP_ANNOTATION, type NamespacedName, OWNER_NAME_ANNOTATION, OWNER_UID_LABEL, parseKey } from "../names.ts";
import type { LiveJsonObject } from "../plan/decide.ts";
import { readLastApplied } from "../plan/last-applied.ts";
import type { EventSources } from "../sources/event-sources.ts";

/**
 * Deletes the children of an object that no owner reference reaches, found with a live list by their label. Resolves to true when none is left;
 * children with finalizers can take longer.
 */
export async function deleteCrossNamespaceChildren(client: Client, controller: Controller, object: LiveJsonObject): Promise<boolean> {
  const kinds = [...controller.owns, ...controller.formerly].filter((kind) => canBeCrossNamespace(controller.kind, kind));
  let left = 0;
  for (const kind of kinds) {
    const { items } = await client.list(kind, { labels: { [OWNER_UID_LABEL]: object.metadata.uid } });
    for (const { metadata } of items as unknown as readonly LiveJsonObject[]) {
      if (readLastApplied(metadata)?.controller !== controller.name || metadata.annotations?.[KEEP_ANNOTATION] !== undefined) continue;
      const { name, namespace, uid, deletionTimestamp } = metadata;
      if (deletionTimestamp !== undefined) left++;
      else if (await isRetainedAfterDelete(client, kind, { name, namespace }, uid)) left++;
    }
  }
  return left === 0;
}

async function isRetainedAfterDelete(client: Client, kind: KindInfo, name: NamespacedName, uid: string): Promise<boolean> {
  try {
    const response = (await client.delete(kind, name as never, { uid, propagation: "Background" })) as unknown as
      | LiveJsonObject
      | undefined;
    return (response?.metadata.finalizers?.length ?? 0) > 0;
  } catch (error) {
    if (error instanceof NotFound || error instanceof Conflict) return false;
    throw error;
  }
}

/**
 * Deletes cross-namespace children whose owner no longer exists, for example because its finalizer was removed by hand. Returns their number.
 * The cache alone is not trusted: the owner counts as deleted only when a live read does not find it, or finds another uid under its name.
 */
export async function deleteOrphans(controller: Controller, sources: EventSources, client: Client): Promise<number> {
  const liveOwners = new Set(sources.primary.list().map(({ metadata }: StoredObject) => metadata.uid));
  let deleted = 0;
  for (const { kind, view, isCrossNamespace } of sources.owned.values()) {
    if (!isCrossNamespace) continue;
    for (const { metadata } of view.list() as readonly StoredObject[]) {
      const ownerUid = metadata.labels?.[OWNER_UID_LABEL];
      const ownerName = metadata.annotations?.[OWNER_NAME_ANNOTATION];
      if (ownerUid === undefined || ownerName === undefined || liveOwners.has(ownerUid)) continue;
      if (readLastApplied(metadata)?.controller !== controller.name || metadata.annotations?.[KEEP_ANNOTATION] !== undefined) continue;
      const owner = (await client.find(controller.kind, parseKey(ownerName) as never)) as StoredObject | undefined;
      if (owner?.metadata.uid === ownerUid) continue;
      const { name, namespace, uid } = metadata;
      await client.delete(kind, { name, namespace } as never, { uid, propagation: "Background" }).catch((error) => {
        if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
      });
      deleted++;
    }
  }
  return deleted;
}
