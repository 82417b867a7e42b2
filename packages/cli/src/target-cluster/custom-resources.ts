import { type Client, type DynamicKind, type DynamicObject, NotFound } from "pintle/client";
import type { Io } from "../command/index.ts";
import type { OperatorDescription, ResourceDescription } from "../project/index.ts";

/** The custom resources of one of the operator's kinds in the cluster. */
export interface CustomResourceList {
  readonly crd: ResourceDescription["crd"];
  readonly kind: DynamicKind;
  readonly objects: readonly DynamicObject[];
}

export async function listCustomResources(
  client: Client,
  { resources }: OperatorDescription,
  signal: AbortSignal,
): Promise<readonly CustomResourceList[]> {
  const found: CustomResourceList[] = [];
  for (const { crd } of resources) {
    const storageVersion = crd.spec.versions.find(({ storage }) => storage)!.name;
    const kind = await client.discoverKind(`${crd.spec.group}/${storageVersion}`, crd.spec.names.kind, { signal }).catch(() => undefined);
    if (kind === undefined) continue;
    const { items } = await client.list(kind, { signal });
    if (items.length > 0) found.push({ crd, kind, objects: items });
  }
  return found;
}

/**
 * Deletes all objects. A running operator finalizes them; from objects that still exist after the grace period Pintle's own finalizers are
 * removed. Finalizers of others are kept and reported.
 */
export async function deleteCustomResources(
  client: Client,
  lists: readonly CustomResourceList[],
  gracePeriodMs: number,
  io: Io,
): Promise<void> {
  for (const { kind, objects } of lists) {
    for (const { metadata } of objects) await client.delete(kind, metadata as never, { signal: io.signal }).catch(ignoreNotFound);
  }
  for (const { kind, objects } of lists) {
    for (const { metadata } of objects) await waitUntilFinalized(client, kind, metadata as never, gracePeriodMs, io);
  }
}

async function waitUntilFinalized(
  client: Client,
  kind: DynamicKind,
  ref: { readonly name: string; readonly namespace: string },
  gracePeriodMs: number,
  io: Io,
) {
  const name = `${kind.kind} ${ref.namespace === undefined ? "" : `${ref.namespace}/`}${ref.name}`;
  try {
    return await client.waitForDeletion(kind, ref, { timeout: gracePeriodMs, signal: io.signal });
  } catch {
    const object = await client.find(kind, ref, { signal: io.signal });
    if (object === undefined) return;
    const finalizers = (object.metadata["finalizers"] ?? []) as readonly string[];
    const foreignFinalizers = finalizers.filter((name) => !name.startsWith("pintle.dev/"));
    io.err(`${name}: not finalized by the operator within ${gracePeriodMs / 1000}s, removing its finalizer without cleanup\n`);
    await client.patch(kind, ref, { merge: { metadata: { finalizers: foreignFinalizers } } }, { signal: io.signal }).catch(ignoreNotFound);
    if (foreignFinalizers.length > 0) io.err(`${name}: still has finalizers of other controllers: ${foreignFinalizers.join(", ")}\n`);
  }
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}
