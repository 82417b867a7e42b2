import { type Client, type DynamicKind, type DynamicObject, NotFound } from "pintle/client";
import type { Io } from "../command.ts";
import type { Operator, Resource } from "../project/index.ts";

/** Objects of one of the operator's kinds that are in the cluster. */
export interface Instances {
  readonly crd: Resource["crd"];
  readonly kind: DynamicKind;
  readonly objects: readonly DynamicObject[];
}

export async function instances(client: Client, { resources }: Operator, signal: AbortSignal): Promise<readonly Instances[]> {
  const found: Instances[] = [];
  for (const { crd } of resources) {
    const stored = crd.spec.versions.find(({ storage }) => storage)!.name;
    const kind = await client.kind(`${crd.spec.group}/${stored}`, crd.spec.names.kind, { signal }).catch(() => undefined);
    if (kind === undefined) continue;
    const { items } = await client.list(kind, { signal });
    if (items.length > 0) found.push({ crd, kind, objects: items });
  }
  return found;
}

/**
 * Deletes them all. The operator, if it runs, finalizes them; those that are still there after `grace` lose our own
 * finalizers, because nobody will ever remove them. Finalizers of others are left, and named.
 */
export async function removeInstances(client: Client, all: readonly Instances[], grace: number, io: Io): Promise<void> {
  for (const { kind, objects } of all) {
    for (const { metadata } of objects) await client.delete(kind, metadata as never, { signal: io.signal }).catch(ignoreGone);
  }
  for (const { kind, objects } of all) {
    for (const { metadata } of objects) await gone(client, kind, metadata as never, grace, io);
  }
}

async function gone(client: Client, kind: DynamicKind, ref: { readonly name: string; readonly namespace: string }, grace: number, io: Io) {
  const at = `${kind.kind} ${ref.namespace === undefined ? "" : `${ref.namespace}/`}${ref.name}`;
  try {
    return await client.waitGone(kind, ref, { timeout: grace, signal: io.signal });
  } catch {
    const object = await client.find(kind, ref, { signal: io.signal });
    if (object === undefined) return;
    const finalizers = (object.metadata["finalizers"] ?? []) as readonly string[];
    const theirs = finalizers.filter((name) => !name.startsWith("pintle.dev/"));
    io.err(`${at}: no operator answered within ${grace / 1000} s, so its finalizer is taken off; what it would have cleaned up stays\n`);
    await client.patch(kind, ref, { merge: { metadata: { finalizers: theirs } } }, { signal: io.signal }).catch(ignoreGone);
    if (theirs.length > 0) io.err(`${at}: still held by ${theirs.join(", ")}, which is not ours to take off\n`);
  }
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}
