import { type Client, Conflict, NotFound } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { describeError, failure } from "../api/failures.ts";
import { MANAGED_BY_LABEL, OBJECT_FIELD_MANAGER, OWNER_KIND_LABEL, OWNER_NAME_LABEL, REVISION_ANNOTATION } from "../api/names.ts";
import type { ClusterObjectSet } from "../api/types.ts";
import { type ReadSecret, readObjects } from "./resolve-phases.ts";

/**
 * Removes the owner references and labels of a revision from its CRDs: the garbage collector then keeps them when the revision is deleted, and another
 * installation may take them over.
 */
export async function releaseDefinitions(client: Client, objectSet: ClusterObjectSet, readSecret: ReadSecret): Promise<void> {
  const objects = await readObjects(objectSet, readSecret).catch((error: unknown) => {
    throw failure(`releasing CRDs of ${objectSet.metadata.name}: ${describeError(error)}`, error);
  });
  for (const { kind, metadata } of objects) {
    if (kind !== "CustomResourceDefinition") continue;
    const { name } = metadata as { readonly name: string };
    const live = await client.find(CustomResourceDefinition, { name });
    if (live === undefined) continue;
    const { ownerReferences = [], resourceVersion } = live.metadata;
    const others = ownerReferences.filter(({ uid }) => uid !== objectSet.metadata.uid);
    if (others.length === ownerReferences.length) continue;
    const labels = { [OWNER_KIND_LABEL]: null, [OWNER_NAME_LABEL]: null, [MANAGED_BY_LABEL]: null };
    const annotations = { [REVISION_ANNOTATION]: null };
    const merge = { metadata: { resourceVersion, ownerReferences: others, ...(others.length === 0 ? { labels, annotations } : {}) } };
    await client
      .patch(CustomResourceDefinition, { name }, { merge: merge as never }, { fieldManager: OBJECT_FIELD_MANAGER })
      .catch((error: unknown) => {
        if (error instanceof NotFound) return;
        const text = error instanceof Conflict ? "it has changed meanwhile" : describeError(error);
        throw failure(`releasing CRD ${name}: ${text}`, error);
      });
  }
}
