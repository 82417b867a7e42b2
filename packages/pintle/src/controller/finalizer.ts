import { type Client, Conflict, NotFound } from "../client/index.ts";
import type { KindFacts } from "../kinds/index.ts";
import type { Controller } from "./controller.ts";
import { isApart } from "./controller.ts";
import type { Live } from "./decide.ts";
import { type Located, OWNER_LABEL } from "./names.ts";
import { receiptOf } from "./receipt.ts";

export const hasFinalizer = ({ finalizer }: Controller, { metadata }: Live) =>
  finalizer !== undefined && (metadata.finalizers?.includes(finalizer) ?? false);

/** Puts the finalizer on, before anything is done that would need undoing. Fails with Conflict when the object has changed since. */
export async function addFinalizer(client: Client, { kind, finalizer }: Controller, object: Live): Promise<Live> {
  return patched(client, kind, object, [...(object.metadata.finalizers ?? []), finalizer!]);
}

/** Takes it off again; an object that is gone already is fine. */
export async function removeFinalizer(client: Client, { kind, finalizer }: Controller, object: Live): Promise<void> {
  try {
    await patched(
      client,
      kind,
      object,
      (object.metadata.finalizers ?? []).filter((each) => each !== finalizer),
    );
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}

/** The version makes it safe: the list that is replaced is the list that was seen. */
async function patched(client: Client, kind: KindFacts, { metadata }: Live, finalizers: readonly string[]): Promise<Live> {
  const { name, namespace, resourceVersion, uid } = metadata;
  const merge = { metadata: { uid, resourceVersion, finalizers: finalizers.length === 0 ? null : finalizers } };
  return (await client.patch(kind, { name, namespace } as never, { merge })) as unknown as Live;
}

/**
 * Deletes the children that no owner reference reaches, found live by their label. True when none is left.
 * Children with finalizers of their own may take a while.
 */
export async function removeApart(client: Client, controller: Controller, object: Live): Promise<boolean> {
  const kinds = [...controller.owns, ...controller.formerly].filter((kind) => isApart(controller.kind, kind));
  let left = 0;
  for (const kind of kinds) {
    const { items } = await client.list(kind, { labels: { [OWNER_LABEL]: object.metadata.uid } });
    for (const { metadata } of items as unknown as readonly Live[]) {
      if (receiptOf(metadata)?.controller !== controller.name) continue;
      const { name, namespace, uid, deletionTimestamp } = metadata;
      if (deletionTimestamp !== undefined) left++;
      else if (await staysAfterDelete(client, kind, { name, namespace }, uid)) left++;
    }
  }
  return left === 0;
}

async function staysAfterDelete(client: Client, kind: KindFacts, at: Located, uid: string): Promise<boolean> {
  try {
    const answer = (await client.delete(kind, at as never, { uid, propagation: "Background" })) as unknown as Live | undefined;
    return (answer?.metadata.finalizers?.length ?? 0) > 0;
  } catch (error) {
    if (error instanceof NotFound || error instanceof Conflict) return false;
    throw error;
  }
}
