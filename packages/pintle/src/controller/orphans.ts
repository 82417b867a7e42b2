import type { Stored } from "../cache/index.ts";
import { type Client, Conflict, NotFound } from "../client/index.ts";
import type { Controller } from "./controller.ts";
import type { Eyes } from "./eyes.ts";
import { OWNER_LABEL, OWNER_NAME, placeOf } from "./names.ts";
import { receiptOf } from "./receipt.ts";

/**
 * Deletes children without an owner reference whose owner is gone, for example because somebody took its finalizer off.
 * The cache alone is not believed: an owner counts as gone only when a live read says so, or finds another in its place.
 */
export async function removeOrphans(controller: Controller, eyes: Eyes, client: Client): Promise<number> {
  const alive = new Set(eyes.primary.list().map(({ metadata }: Stored) => metadata.uid));
  let removed = 0;
  for (const { kind, view, apart } of eyes.owned.values()) {
    if (!apart) continue;
    for (const { metadata } of view.list() as readonly Stored[]) {
      const owner = metadata.labels?.[OWNER_LABEL];
      const place = metadata.annotations?.[OWNER_NAME];
      if (owner === undefined || place === undefined || alive.has(owner) || receiptOf(metadata)?.controller !== controller.name) continue;
      const found = (await client.find(controller.kind, placeOf(place) as never)) as Stored | undefined;
      if (found?.metadata.uid === owner) continue;
      const { name, namespace, uid } = metadata;
      await client.delete(kind, { name, namespace } as never, { uid, propagation: "Background" }).catch((error) => {
        if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
      });
      removed++;
    }
  }
  return removed;
}
