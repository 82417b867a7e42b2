import { AlreadyExists, type Client, Invalid, NotFound } from "pintle/client";
import type { Json, JsonObject } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";
import type { OwnerReference } from "pintle/kinds";
import { Secret } from "pintle/kinds/core/v1";
import type { ManagerContext } from "../api/context.ts";
import { describeError, failure } from "../api/failures.ts";
import {
  CONTROLLER_FIELD_MANAGER,
  MIGRATED_FROM_HELM_LABEL,
  OWNER_KIND_LABEL,
  OWNER_NAME_LABEL,
  REVISION_FIELD_MANAGER,
  REVISION_NAME_LABEL,
} from "../api/names.ts";
import type { ExtensionPolicy } from "../api/policy-types.ts";
import { type ClusterExtension, type ClusterObjectSet, ClusterObjectSetKind } from "../api/types.ts";
import { ownerReference } from "../object-sets/apply-object.ts";
import { checkDefinitions } from "./check-definitions.ts";
import type { GeneratedObjects } from "./generate-objects.ts";
import { type PackedSecret, packObjects } from "./pack-objects.ts";
import { sortIntoPhases } from "./phases.ts";
import { PROGRESSION_PROBES } from "./progression-probes.ts";

/** The number of archived revisions that are kept; older ones are deleted. */
const KEPT_REVISIONS = 5;

type Revision = ClusterObjectSet | undefined;

/** The settings that a policy changes. */
export interface RevisionOptions {
  /** Default: revisions are those of OLM v1. */
  readonly policy?: ExtensionPolicy | undefined;
  /** Whether the CRDs were already checked. Default: false, they are checked. */
  readonly isChecked?: boolean;
  /** The objects exist already, and are taken over from any owner. Default: that is a collision. */
  readonly isAdopted?: boolean;
}

/** Whether the newest revision has these objects already. Their keys in Secrets are derived from their content. */
export function hasObjects(revision: ClusterObjectSet, objects: readonly JsonObject[], namespace: string): boolean {
  const { metadata, spec } = revision;
  const phases = sortIntoPhases(objects);
  const ownerName = metadata.labels?.[OWNER_NAME_LABEL] ?? "";
  const { references } = packObjects(phases, { revisionName: metadata.name, ownerName, namespace });
  const places = phases.map(({ name }, i) => [name, references[i]!.map((ref) => [ref.namespace, ref.name, ref.key])]);
  const stored = (spec.phases ?? []).map((phase) => [phase.name, phase.objects.map(({ ref }) => [ref?.namespace, ref?.name, ref?.key])]);
  return isJsonEqual(places as Json, stored as Json);
}

/**
 * Applies these objects as the newest revision of an extension. The API server decides whether a new revision is needed: phases are immutable, so it rejects
 * other ones, and a new revision is created.
 *
 * The process may exit after any step: Secrets are created before the revision that refers to them, and get their owner reference after it.
 */
export async function applyRevision(
  { client, systemNamespace }: Pick<ManagerContext, "client" | "systemNamespace">,
  extension: ClusterExtension,
  { objects, annotations }: GeneratedObjects,
  revisions: readonly ClusterObjectSet[],
  { policy, isChecked = false, isAdopted = false }: RevisionOptions = {},
): Promise<void> {
  const phases = sortIntoPhases(objects);
  const current: Revision = revisions.at(-1);
  const pack = (revisionName: string) =>
    packObjects(phases, { revisionName, ownerName: extension.metadata.name, namespace: systemNamespace });
  const removal = policy?.spec.removal ?? "Delete";
  const probes = [...PROGRESSION_PROBES, ...(policy?.spec.health?.probes ?? [])];
  // The next installation finds and adopts kept objects.
  const protection = removal === "KeepDefinitions" ? { crds: "IfNoController" } : {};
  const build = (
    name: string,
    revision: number,
    references: ReturnType<typeof packObjects>["references"],
    protections: Readonly<Record<string, string | undefined>>,
  ) => ({
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    metadata: {
      name,
      labels: {
        [OWNER_KIND_LABEL]: "ClusterExtension",
        [OWNER_NAME_LABEL]: extension.metadata.name,
        ...(isAdopted ? { [MIGRATED_FROM_HELM_LABEL]: "true" } : {}),
      },
      annotations,
      // The garbage collector must not delete objects that outlive the extension, or that delay its removal, before the manager handled them.
      ownerReferences: [{ ...extensionReference(extension), ...(removal === "Delete" ? {} : { blockOwnerDeletion: false }) }],
    },
    spec: {
      lifecycleState: "Active",
      collisionProtection: isAdopted ? "None" : "Prevent",
      revision,
      phases: phases.map((phase, i) => {
        const collisionProtection = protections[phase.name];
        const objects = references[i]!.map((ref) => ({ ref }));
        return { name: phase.name, objects, ...(collisionProtection === undefined ? {} : { collisionProtection }) };
      }),
      progressionProbes: probes,
      ...((extension.spec.progressDeadlineMinutes ?? 0) > 0 ? { progressDeadlineMinutes: extension.spec.progressDeadlineMinutes } : {}),
    },
  });
  const apply = (body: JsonObject) =>
    client.apply(ClusterObjectSetKind, body as never, { force: true, fieldManager: REVISION_FIELD_MANAGER });

  if (current !== undefined) {
    const { name, uid } = current.metadata;
    const protections = Object.fromEntries((current.spec.phases ?? []).map((phase) => [phase.name, phase.collisionProtection]));
    const built = build(name, current.spec.revision, pack(name).references, protections);
    // With the uid, a revision that was deleted meanwhile is not created again, without its Secrets.
    const body = { ...built, metadata: { ...built.metadata, uid } };
    const isUnchanged = await apply(body as unknown as JsonObject).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Invalid) return false;
        throw failure(`patching ${name} Revision: ${describeError(error)}`, error);
      },
    );
    if (isUnchanged) return adoptSecrets(client, current, systemNamespace);
  }
  if (!isChecked && !isAdopted && extension.spec.install?.preflight?.crdUpgradeSafety?.enforcement !== "None")
    await checkDefinitions(client, objects);
  const revision = (current?.spec.revision ?? 0) + 1;
  const name = `${extension.metadata.name}-${revision}`;
  await deleteOldRevisions(client, revisions);
  const packed = pack(name);
  for (const secret of packed.secrets) await createSecret(client, secret);
  const created = await apply(build(name, revision, packed.references, protection) as unknown as JsonObject).catch((error: unknown) => {
    throw failure(`creating new Revision: ${describeError(error)}`, error);
  });
  await adoptSecrets(client, created, systemNamespace);
}

function extensionReference({ metadata }: ClusterExtension): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion: "olm.operatorframework.io/v1", kind: "ClusterExtension", name, uid, controller: true, blockOwnerDeletion: true };
}

async function deleteOldRevisions(client: Client, revisions: readonly ClusterObjectSet[]): Promise<void> {
  for (const { metadata, spec } of revisions.slice(0, -KEPT_REVISIONS)) {
    if (spec.lifecycleState !== "Archived") continue;
    await client.delete(ClusterObjectSetKind, { name: metadata.name }).catch((error: unknown) => {
      if (!(error instanceof NotFound)) {
        throw failure(`garbage collecting old revisions: deleting archived revision: ${describeError(error)}`, error);
      }
    });
  }
}

/** A Secret that exists has the same content: its name follows from it. */
async function createSecret(client: Client, secret: PackedSecret): Promise<void> {
  try {
    await client.create(Secret, secret as never, { fieldManager: CONTROLLER_FIELD_MANAGER });
  } catch (error) {
    if (error instanceof AlreadyExists) return;
    throw failure(`creating ref Secret ${JSON.stringify(secret.metadata.name)}: ${describeError(error)}`, error);
  }
}

/** Sets the owner reference of the Secrets of a revision, also where an earlier process exited before it did so. */
async function adoptSecrets(client: Client, revision: ClusterObjectSet, namespace: string): Promise<void> {
  const { name, uid } = revision.metadata;
  const { items } = await client.list(Secret, { namespace, labels: { [REVISION_NAME_LABEL]: name } });
  for (const { metadata } of items) {
    const references = metadata.ownerReferences ?? [];
    if (references.some((reference) => reference.uid === uid)) continue;
    const merge = { metadata: { ownerReferences: [...references, ownerReference(revision)] } };
    await client
      .patch(Secret, { name: metadata.name, namespace }, { merge }, { fieldManager: CONTROLLER_FIELD_MANAGER })
      .catch((error: unknown) => {
        throw failure(`patching ownerReference on Secret ${namespace}/${metadata.name}: ${describeError(error)}`, error);
      });
  }
}
