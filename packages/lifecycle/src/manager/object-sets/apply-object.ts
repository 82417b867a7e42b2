import { AlreadyExists, type Client, Conflict, NotFound } from "pintle/client";
import type { JsonObject } from "pintle/internal/json";
import { digest } from "pintle/internal/merge";
import type { AnyKind, ManagedFieldsEntry, OwnerReference } from "pintle/kinds";
import { describeError, failure } from "../api/failures.ts";
import { MANAGED_BY_LABEL, OBJECT_FIELD_MANAGER, REVISION_ANNOTATION } from "../api/names.ts";
import type { ClusterObjectSet, CollisionProtection } from "../api/types.ts";
import { mergeManagedFields } from "./merge-managed-fields.ts";
import { type DesiredObject, digestAppliedState, findController, type LiveObject } from "./objects.ts";

/** How often an object is applied while others change it. */
const MAX_ATTEMPTS = 3;

/** The action that was taken for an object. `Progressed`: a newer revision controls it. */
export type ObjectAction = "Created" | "Updated" | "Idle" | "Progressed" | "Collision";

/** The outcome for one object. */
export interface AppliedObject {
  readonly action: ObjectAction;
  readonly object: LiveObject;
  /** With a collision: the owner that controls the object. */
  readonly conflictingOwner?: OwnerReference | undefined;
}

/** The dependencies of `applyObject`. */
export interface ApplyContext {
  readonly client: Client;
  readonly objectSet: ClusterObjectSet;
  /** The other revisions of the same extension that are not archived. */
  readonly siblings: readonly ClusterObjectSet[];
  /** The objects after they were applied, by the applied object. */
  readonly settled: SettledStates;
}

/** Remembers that the API server had nothing to change when an object was applied in some state. */
export interface SettledStates {
  readonly isSettled: (desired: DesiredObject, live: LiveObject) => boolean;
  readonly record: (desired: DesiredObject, live: LiveObject) => void;
}

/** Creates an empty record. */
export function createSettledStates(): SettledStates {
  const states = new Map<string, { readonly desired: string; readonly live: string }>();
  return {
    isSettled(desired, live) {
      const known = states.get(live.metadata.uid);
      return known !== undefined && known.live === digestAppliedState(live) && known.desired === digest(desired as JsonObject);
    },
    record(desired, live) {
      states.set(live.metadata.uid, { desired: digest(desired as JsonObject), live: digestAppliedState(live) });
    },
  };
}

/** A reference to the revision as the owner that controls an object. */
export function ownerReference({ metadata }: ClusterObjectSet): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion: "olm.operatorframework.io/v1", kind: "ClusterObjectSet", name, uid, controller: true, blockOwnerDeletion: true };
}

/**
 * Applies the desired state of an object. `live` is the object in the cache; undefined if it is not there.
 *
 * An object that does not exist is created, never applied: applying would take over an object that was created meanwhile. An object that another owner
 * controls is left alone, unless the collision protection allows to take it over.
 */
export async function applyObject(
  context: ApplyContext,
  kind: AnyKind,
  { desired, collisionProtection }: { readonly desired: DesiredObject; readonly collisionProtection: CollisionProtection },
  known: LiveObject | undefined,
): Promise<AppliedObject> {
  let live = known;
  if (live === undefined) {
    try {
      return { action: "Created", object: await createObject(context, kind, desired) };
    } catch (error) {
      if (!(error instanceof AlreadyExists)) throw failure(`creating resource: ${describeError(error)}`, error);
    }
    // The object exists but is not in the cache: it lacks the label, or its event has not arrived.
    live = await findObject(context.client, kind, desired);
    if (live === undefined) throw failure(`getting object: ${desired.kind} ${desired.metadata.name} was deleted meanwhile`);
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await updateObject(context, kind, desired, collisionProtection, live);
    } catch (error) {
      // The status of workloads changes all the time: what the cache knows is read again before the pass fails.
      if (!(error instanceof Error && error.cause instanceof Conflict) || attempt === MAX_ATTEMPTS) throw error;
      live = await findObject(context.client, kind, desired);
      if (live === undefined) throw error;
    }
  }
}

/** Reads an object; undefined if it does not exist. */
export async function findObject(client: Client, kind: AnyKind, { metadata }: DesiredObject): Promise<LiveObject | undefined> {
  const { name, namespace } = metadata;
  return (await client.find(kind, { name, namespace } as never)) as LiveObject | undefined;
}

async function createObject({ client, objectSet, settled }: ApplyContext, kind: AnyKind, desired: DesiredObject): Promise<LiveObject> {
  const metadata = { ...desired.metadata, ownerReferences: [ownerReference(objectSet)] };
  const created = (await client.create(kind, { ...desired, metadata } as never, { fieldManager: OBJECT_FIELD_MANAGER })) as LiveObject;
  const migrated = await migrateManagedFields(client, kind, created);
  settled.record(desired, migrated);
  return migrated;
}

async function updateObject(
  context: ApplyContext,
  kind: AnyKind,
  desired: DesiredObject,
  collisionProtection: CollisionProtection,
  live: LiveObject,
): Promise<AppliedObject> {
  const { objectSet, siblings, settled } = context;
  const controller = findController(live);
  if (controller?.uid === objectSet.metadata.uid) {
    if (settled.isSettled(desired, live)) return { action: "Idle", object: live };
    const object = await patchObject(context, kind, desired, live, withOlderOwners(live, objectSet));
    return { action: digestAppliedState(object) === digestAppliedState(live) ? "Idle" : "Updated", object };
  }
  const isSibling = siblings.some(({ metadata }) => metadata.uid === controller?.uid);
  if (isSibling && readRevision(live) > objectSet.spec.revision) return { action: "Progressed", object: live };
  if (!isSibling && !isReleasedToUs(live, controller, objectSet) && !mayTakeOver(live, controller, collisionProtection)) {
    return { action: "Collision", object: live, conflictingOwner: controller };
  }
  return { action: "Updated", object: await patchObject(context, kind, desired, live, withOlderOwners(live, objectSet)) };
}

/**
 * Returns the owner references of an object that a revision takes over. Older revisions remain owners, so that they are reconciled after changes, and
 * control it again if the revision is deleted.
 */
function withOlderOwners({ metadata }: LiveObject, objectSet: ClusterObjectSet): readonly OwnerReference[] {
  const others = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== objectSet.metadata.uid);
  return [...others.map((reference) => ({ ...reference, controller: false })), ownerReference(objectSet)];
}

/** The revision that had taken over an object was deleted: the garbage collector removed its owner reference and left that of this revision. */
function isReleasedToUs(live: LiveObject, controller: OwnerReference | undefined, { metadata }: ClusterObjectSet): boolean {
  return controller === undefined && (live.metadata.ownerReferences ?? []).some(({ uid }) => uid === metadata.uid);
}

/** An object with the ownership labels but without an owner was just orphaned: with a new owner, the garbage collector would delete it. */
function mayTakeOver(live: LiveObject, controller: OwnerReference | undefined, collisionProtection: CollisionProtection): boolean {
  if (controller !== undefined) return collisionProtection === "None";
  if (collisionProtection === "Prevent") return false;
  return live.metadata.labels?.[MANAGED_BY_LABEL] !== OBJECT_FIELD_MANAGER || readRevision(live) === 0;
}

/** The number of the revision that applied an object last; 0 if none did. */
export function readRevision({ metadata }: LiveObject): number {
  return Number(metadata.annotations?.[REVISION_ANNOTATION] ?? "0");
}

/** The resourceVersion guarantees that the owners that are replaced are those that were read. */
async function patchObject(
  { client, settled }: ApplyContext,
  kind: AnyKind,
  desired: DesiredObject,
  live: LiveObject,
  ownerReferences: readonly OwnerReference[],
): Promise<LiveObject> {
  const { resourceVersion } = live.metadata;
  const body = { ...desired, metadata: { ...desired.metadata, ownerReferences, resourceVersion } };
  try {
    const patched = (await client.apply(kind, body as never, { force: true, fieldManager: OBJECT_FIELD_MANAGER })) as LiveObject;
    const migrated = await migrateManagedFields(client, kind, patched);
    settled.record(desired, migrated);
    return migrated;
  } catch (error) {
    throw failure(`patching (modified): ${describeError(error)}`, error);
  }
}

/** Fields of a create belong to the same manager but to the operation Update, so a later apply could never remove them. */
async function migrateManagedFields(client: Client, kind: AnyKind, object: LiveObject): Promise<LiveObject> {
  const { name, namespace, resourceVersion, managedFields = [] } = object.metadata;
  const merged = mergeManagedFields(managedFields as readonly ManagedFieldsEntry[], OBJECT_FIELD_MANAGER);
  if (merged === undefined) return object;
  const json = [
    { op: "replace", path: "/metadata/managedFields", value: merged },
    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
  ] as const;
  try {
    return (await client.patch(kind, { name, namespace } as never, { json }, { fieldManager: OBJECT_FIELD_MANAGER })) as LiveObject;
  } catch (error) {
    if (error instanceof Conflict || error instanceof NotFound) return object;
    throw failure(`migrating to SSA after create: ${describeError(error)}`, error);
  }
}
