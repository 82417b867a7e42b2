import { type Client, NotFound } from "pintle/client";
import type { AnyKind } from "pintle/kinds";
import { describeError, failure } from "../api/failures.ts";
import { OBJECT_FIELD_MANAGER } from "../api/names.ts";
import type { ClusterObjectSet } from "../api/types.ts";
import { findObject, readRevision } from "./apply-object.ts";
import { type DesiredObject, findController, scopeObject } from "./objects.ts";
import type { ResolvedPhase } from "./resolve-phases.ts";

/** Finds the kind of an object; undefined if it is not served any more. */
export type FindKind = (desired: DesiredObject) => Promise<AnyKind | undefined>;

/**
 * Deletes the objects that a revision still controls, the last phase first, and releases the others. Returns whether all are gone. A phase is torn down only
 * when all objects of the following phase are gone.
 */
export async function tearDownPhases(
  client: Client,
  objectSet: ClusterObjectSet,
  phases: readonly ResolvedPhase[],
  findKind: FindKind,
): Promise<boolean> {
  for (const phase of phases.toReversed()) {
    const gone = await Promise.all(
      phase.objects.map(async ({ desired }) => {
        const kind = await findKind(desired);
        return kind === undefined || (await tearDownObject(client, objectSet, kind, scopeObject(kind, desired)));
      }),
    ).catch((error: unknown) => {
      throw failure(`teardown phase: teardown object: ${describeError(error)}`, error);
    });
    if (!gone.every(Boolean)) return false;
  }
  return true;
}

async function tearDownObject(client: Client, objectSet: ClusterObjectSet, kind: AnyKind, desired: DesiredObject): Promise<boolean> {
  const live = await findObject(client, kind, desired);
  if (live === undefined) return true;
  const { name, namespace, uid, resourceVersion, ownerReferences = [] } = live.metadata;
  const ref = { name, namespace } as never;
  if (findController(live)?.uid !== objectSet.metadata.uid || readRevision(live) !== objectSet.spec.revision) {
    const others = ownerReferences.filter((reference) => reference.uid !== objectSet.metadata.uid);
    if (others.length === ownerReferences.length) return true;
    const merge = { metadata: { resourceVersion, ownerReferences: others } };
    await client.patch(kind, ref, { merge }, { fieldManager: OBJECT_FIELD_MANAGER });
    return true;
  }
  if (live.metadata.deletionTimestamp !== undefined) return false;
  try {
    await client.delete(kind, ref, { uid, resourceVersion });
    return false;
  } catch (error) {
    if (error instanceof NotFound) return true;
    throw failure(`deleting object: ${describeError(error)}`, error);
  }
}
