import { type Client, NotFound } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { describeError, failure } from "../api/failures.ts";
import { CONTROLLER_FIELD_MANAGER, KEEP_DEFINITIONS_ANNOTATION, OWNER_KIND_LABEL, OWNER_NAME_LABEL } from "../api/names.ts";
import type { ExtensionPolicy } from "../api/policy-types.ts";
import { type ClusterExtension, type ClusterObjectSet, ClusterObjectSetKind } from "../api/types.ts";
import { Hold } from "./hold.ts";

/** The interval at which an extension that is being deleted is checked for remaining custom resources. */
const IN_USE_RETRY_MS = 5_000;
const GONE_RETRY_MS = 1_000;
/** The maximum number of objects that a message names. */
const NAMED_OBJECTS = 5;

/**
 * Prepares the removal of an extension that is being deleted, as its policy says. Returns whether its finalizers can be removed; throws `Hold` while custom
 * resources are in use. The operator runs until then, so that it can finalize them.
 */
export async function prepareRemoval(
  client: Client,
  policy: ExtensionPolicy,
  extension: ClusterExtension,
  revisions: readonly ClusterObjectSet[],
): Promise<{ readonly isReady: boolean; readonly requeueAfter?: number }> {
  if (policy.spec.removal === "RefuseIfInUse") {
    const uses = await describeUses(client, extension.metadata.name);
    if (uses.length === 0) return { isReady: true };
    throw new Hold("InUse", `the extension is deleted when its custom resources are: ${uses.join("; ")}`, IN_USE_RETRY_MS);
  }
  if (policy.spec.removal !== "KeepDefinitions" || revisions.length === 0) return { isReady: true };
  for (const { metadata } of revisions) {
    const { name, uid, annotations = {}, deletionTimestamp } = metadata;
    try {
      if (annotations[KEEP_DEFINITIONS_ANNOTATION] === undefined) {
        const merge = { metadata: { uid, annotations: { [KEEP_DEFINITIONS_ANNOTATION]: "true" } } };
        await client.patch(ClusterObjectSetKind, { name }, { merge }, { fieldManager: CONTROLLER_FIELD_MANAGER });
      }
      // In the background: in the foreground the garbage collector would begin with the CRDs.
      if (deletionTimestamp === undefined) await client.delete(ClusterObjectSetKind, { name }, { uid, propagation: "Background" });
    } catch (error) {
      if (!(error instanceof NotFound)) throw failure(`removing revision ${name}: ${describeError(error)}`, error);
    }
  }
  return { isReady: false, requeueAfter: GONE_RETRY_MS };
}

/** The CRDs of an extension that have objects, with how many and which. */
async function describeUses(client: Client, extension: string): Promise<string[]> {
  const labels = { [OWNER_KIND_LABEL]: "ClusterExtension", [OWNER_NAME_LABEL]: extension };
  const { items } = await client.list(CustomResourceDefinition, { labels });
  const uses: string[] = [];
  for (const { metadata, spec } of items) {
    const version = spec.versions.find(({ storage }) => storage === true)?.name ?? spec.versions[0]!.name;
    const kind = await client.discoverKind(`${spec.group}/${version}`, spec.names.kind).catch((error: unknown) => {
      if (error instanceof NotFound) return undefined;
      throw error;
    });
    if (kind === undefined) continue;
    const objects = (await client.list(kind)).items;
    if (objects.length === 0) continue;
    const names = objects.slice(0, NAMED_OBJECTS).map((object) => {
      const { namespace, name } = object.metadata as { readonly namespace?: string; readonly name: string };
      return namespace === undefined ? name : `${namespace}/${name}`;
    });
    const more = objects.length > names.length ? ", ..." : "";
    uses.push(`${objects.length} of ${metadata.name} (${names.join(", ")}${more})`);
  }
  return uses;
}
