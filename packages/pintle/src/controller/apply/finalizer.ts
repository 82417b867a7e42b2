import { type Client, NotFound } from "../../client/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import type { Controller } from "../declare/controller.ts";
import type { LiveJsonObject } from "../plan/decide.ts";

export const hasFinalizer = ({ finalizer }: Controller, { metadata }: LiveJsonObject) =>
  finalizer !== undefined && (metadata.finalizers?.includes(finalizer) ?? false);

/** Adds the finalizer before the first write that would need cleanup. Throws `Conflict` if the object has changed since it was read. */
export async function addFinalizer(client: Client, { kind, finalizer }: Controller, object: LiveJsonObject): Promise<LiveJsonObject> {
  return patchFinalizers(client, kind, object, [...(object.metadata.finalizers ?? []), finalizer!]);
}

/** Removes the finalizer. Does nothing if the object no longer exists. */
export async function removeFinalizer(client: Client, { kind, finalizer }: Controller, object: LiveJsonObject): Promise<void> {
  const others = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  try {
    await patchFinalizers(client, kind, object, others);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}

/** The resourceVersion in the patch guarantees that the list that is replaced is the list that was read. */
async function patchFinalizers(
  client: Client,
  kind: KindInfo,
  { metadata }: LiveJsonObject,
  finalizers: readonly string[],
): Promise<LiveJsonObject> {
  const { name, namespace, resourceVersion, uid } = metadata;
  const merge = { metadata: { uid, resourceVersion, finalizers: finalizers.length === 0 ? null : finalizers } };
  return (await client.patch(kind, { name, namespace } as never, { merge })) as unknown as LiveJsonObject;
}
