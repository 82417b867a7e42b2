import { NotFound } from "pintle/client";
import type { JsonObject } from "pintle/internal/json";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { checkCrdUpgrade, formatCrdUpgradeProblems } from "../../safety/index.ts";
import { isConditionTrue } from "../api/conditions.ts";
import type { ManagerContext } from "../api/context.ts";
import { describeError, failure } from "../api/failures.ts";
import { POLICY_FIELD_MANAGER, PROVEN_ANNOTATION, ROLL_BACK_ANNOTATION, ROLLED_BACK_ANNOTATION } from "../api/names.ts";
import type { ExtensionPolicy } from "../api/policy-types.ts";
import {
  type ClusterCatalog,
  type ClusterExtension,
  ClusterExtensionKind,
  type ClusterObjectSet,
  ClusterObjectSetKind,
} from "../api/types.ts";
import { applyRevision } from "../extensions/apply-revision.ts";
import type { GeneratedObjects } from "../extensions/generate-objects.ts";
import { type RevisionMetadata, readRevisionMetadata } from "../extensions/revision-states.ts";
import { findController, type LiveObject } from "../object-sets/objects.ts";
import { readObjects } from "../object-sets/resolve-phases.ts";
import { admissionAnnotations } from "./admit-revision.ts";
import { judgeRevision } from "./find-failure.ts";
import { Hold } from "./hold.ts";
import { deriveRules, grantInstallerRules, mergeRuleLists } from "./installer-account.ts";
import { readSecrets } from "./read-secrets.ts";

/** What a rollback records about the failed revision, in an annotation of its own revision. */
export interface FailureRecord {
  readonly revision: number;
  readonly name: string;
  readonly version: string;
  readonly image: string;
  readonly reason: string;
  /** The generation of the extension, and the images of its catalogs: another choice is possible once one of them changes. */
  readonly generation: number;
  readonly catalogs: readonly string[];
}

type RollBackContext = Pick<ManagerContext, "client" | "clock" | "systemNamespace" | "logger">;

/** The result of a health check of the newest revision. */
export type HealthOutcome =
  | { readonly type: "continue"; readonly requeueAfter?: number }
  /** A rollback was created or is rolling out. No other bundle is resolved meanwhile. */
  | { readonly type: "rollingBack" };

/** Checks the health of the newest revision, and rolls back if it has failed and the policy says so, or if a user asks for it. */
export async function watchHealth(
  context: RollBackContext,
  policy: ExtensionPolicy | undefined,
  extension: ClusterExtension,
  revisions: readonly ClusterObjectSet[],
  catalogs: readonly ClusterCatalog[],
): Promise<HealthOutcome> {
  const newest = revisions.findLast(({ spec }) => spec.lifecycleState === "Active");
  if (newest === undefined) return { type: "continue" };
  if (await followRequest(context, policy, extension, newest, revisions, catalogs)) return { type: "rollingBack" };
  const record = readFailureRecord(newest);
  if (record !== undefined) {
    if (!isConditionTrue(newest.status?.conditions, "Succeeded")) {
      await removeFailedWebhooks(context, newest, revisions, record);
      return { type: "rollingBack" };
    }
    // Until the failed revision is archived, it would be taken for one that rolls out.
    return { type: revisions.filter(({ spec }) => spec.lifecycleState === "Active").length > 1 ? "rollingBack" : "continue" };
  }
  if (policy?.spec.onFailure?.action !== "RollBack") return { type: "continue" };
  const health = judgeRevision(policy, newest, context.clock.now());
  if (health.type === "settled") return { type: "continue" };
  if (health.type === "watching") return { type: "continue", requeueAfter: health.checkAfter };
  if (health.type === "proven") {
    const merge = { metadata: { annotations: { [PROVEN_ANNOTATION]: new Date(context.clock.now()).toISOString() } } };
    await context.client.patch(ClusterObjectSetKind, { name: newest.metadata.name }, { merge }, { fieldManager: POLICY_FIELD_MANAGER });
    return { type: "continue" };
  }
  const target = findTarget(newest, revisions);
  // A first installation has no earlier revision.
  if (target === undefined) return { type: "continue" };
  const failed = createFailureRecord(extension, newest, health.reason, catalogs);
  await rollBack(context, policy, extension, revisions, { failed: newest, target, record: failed });
  return { type: "rollingBack" };
}

/**
 * Carries out the request of a user to go back to a revision. Resolves with whether there was one. The request ends when there is a newer revision than the one
 * to go back from, or when the user wants another version.
 */
async function followRequest(
  context: RollBackContext,
  policy: ExtensionPolicy | undefined,
  extension: ClusterExtension,
  newest: ClusterObjectSet,
  revisions: readonly ClusterObjectSet[],
  catalogs: readonly ClusterCatalog[],
): Promise<boolean> {
  const text = extension.metadata.annotations?.[ROLL_BACK_ANNOTATION];
  if (text === undefined) return false;
  const { from, to } = parseRequest(text);
  const target = revisions.find(({ spec }) => spec.revision === to);
  const isWanted = target === undefined || readRevisionMetadata(target).bundle.version === extension.spec.source.catalog?.version;
  if (from !== newest.spec.revision || !isWanted) {
    const merge = { metadata: { annotations: { [ROLL_BACK_ANNOTATION]: null } } };
    await context.client.patch(ClusterExtensionKind, { name: extension.metadata.name }, { merge } as never, {
      fieldManager: POLICY_FIELD_MANAGER,
    });
    return false;
  }
  const record = createFailureRecord(extension, newest, "was given up by a user", catalogs);
  if (target === undefined) throw refuse(record, `there is no revision ${to}. Remove annotation ${ROLL_BACK_ANNOTATION}`);
  await rollBack(context, policy, extension, revisions, { failed: newest, target, record });
  return true;
}

/** A text that is not a request refers to no revision. */
function parseRequest(text: string): { readonly from?: unknown; readonly to?: unknown } {
  try {
    return (JSON.parse(text) as { readonly from?: unknown; readonly to?: unknown } | null) ?? {};
  } catch {
    return {};
  }
}

function createFailureRecord(
  { metadata }: ClusterExtension,
  failed: ClusterObjectSet,
  reason: string,
  catalogs: readonly ClusterCatalog[],
): FailureRecord {
  const { bundle, image } = readRevisionMetadata(failed);
  return {
    revision: failed.spec.revision,
    name: bundle.name,
    version: bundle.version,
    image,
    reason,
    generation: metadata.generation ?? 0,
    catalogs: listCatalogImages(catalogs),
  };
}

/** Reads the failure record of a revision; undefined if the revision is not a rollback. */
export function readFailureRecord({ metadata }: ClusterObjectSet): FailureRecord | undefined {
  const text = metadata.annotations?.[ROLLED_BACK_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as FailureRecord;
  } catch {
    return undefined;
  }
}

/** Throws `Hold` for a bundle that has failed, until the extension or a catalog changes. */
export function refuseFailedBundle(
  extension: ClusterExtension,
  newest: ClusterObjectSet | undefined,
  revision: RevisionMetadata,
  catalogs: readonly ClusterCatalog[],
): void {
  const record = newest === undefined ? undefined : readFailureRecord(newest);
  if (newest === undefined || record === undefined) return;
  const isSame = record.name === revision.bundle.name && record.version === revision.bundle.version && record.image === revision.image;
  const isUnchanged =
    record.generation === extension.metadata.generation && record.catalogs.join(" ") === listCatalogImages(catalogs).join(" ");
  if (!isSame || !isUnchanged) return;
  const { bundle } = readRevisionMetadata(newest);
  throw new Hold(
    "RolledBack",
    `version ${record.version} (revision ${record.revision}) ${record.reason}; went back to version ${bundle.version}. It is tried again when the extension or a catalog changes`,
  );
}

function listCatalogImages(catalogs: readonly ClusterCatalog[]): string[] {
  return catalogs.map(({ metadata, status }) => `${metadata.name}=${status?.resolvedSource?.image.ref ?? ""}`).sort();
}

/** Finds the newest earlier revision that rolled out and did not fail. */
function findTarget(failed: ClusterObjectSet, revisions: readonly ClusterObjectSet[]): ClusterObjectSet | undefined {
  const bad = new Set(revisions.flatMap((each) => readFailureRecord(each)?.revision ?? []));
  return revisions.findLast(
    ({ spec, status }) =>
      spec.revision < failed.spec.revision && !bad.has(spec.revision) && isConditionTrue(status?.conditions, "Succeeded"),
  );
}

async function rollBack(
  context: RollBackContext,
  policy: ExtensionPolicy | undefined,
  extension: ClusterExtension,
  revisions: readonly ClusterObjectSet[],
  { failed, target, record }: { readonly failed: ClusterObjectSet; readonly target: ClusterObjectSet; readonly record: FailureRecord },
): Promise<void> {
  const { client, logger } = context;
  const read = readSecrets(client);
  const [wanted, current] = await Promise.all([readObjects(target, read), readObjects(failed, read)]).catch((error: unknown) => {
    throw refuse(record, `the objects of revision ${target.spec.revision} cannot be read: ${describeError(error)}`);
  });
  const objects = await keepDefinitions(client, wanted, current, record);
  if (policy?.spec.rights === "Derived") {
    await grantInstallerRules(client, extension, mergeRuleLists(await deriveRules(client, objects), await deriveRules(client, current)));
  }
  const annotations = {
    ...copyBundleAnnotations(target),
    ...(policy === undefined ? {} : admissionAnnotations(extension, policy)),
    [ROLLED_BACK_ANNOTATION]: JSON.stringify(record),
  };
  logger.warn(
    `ClusterExtension ${extension.metadata.name}: revision ${record.revision} ${record.reason}; going back to ${target.metadata.name}`,
  );
  await applyRevision(context, extension, { objects, annotations }, revisions, { policy, isChecked: true });
}

/**
 * Returns the objects of a rollback. No CRD loses a field or a version: where the old CRD would remove some, the new one is kept if it serves everything that
 * the old one serves. CRDs that only the failed revision has are kept too, with their objects.
 */
async function keepDefinitions(
  client: ManagerContext["client"],
  wanted: readonly JsonObject[],
  current: readonly JsonObject[],
  record: FailureRecord,
): Promise<JsonObject[]> {
  const objects: JsonObject[] = [];
  for (const object of wanted) {
    if (object["kind"] !== "CustomResourceDefinition") {
      objects.push(object);
      continue;
    }
    const name = nameOf(object);
    const live = (await client.find(CustomResourceDefinition, { name })) as unknown as JsonObject | undefined;
    const problems = live === undefined ? [] : checkCrdUpgrade(live, object);
    if (problems.length === 0) {
      objects.push(object);
      continue;
    }
    const newer = current.find((each) => each["kind"] === "CustomResourceDefinition" && nameOf(each) === name);
    if (newer === undefined || hasConversion(newer) !== hasConversion(object) || checkCrdUpgrade(object, newer).length > 0) {
      throw refuse(record, formatCrdUpgradeProblems(name, problems));
    }
    objects.push(newer);
  }
  const names = new Set(objects.map((each) => `${String(each["kind"])}/${nameOf(each)}`));
  const added = current.filter(
    (each) => each["kind"] === "CustomResourceDefinition" && !names.has(`CustomResourceDefinition/${nameOf(each)}`),
  );
  return [...objects, ...added];
}

/** Does the same for a revision that is rendered again from the bundle of the rollback. Another bundle brings its own CRDs. */
export function keepDefinitionsOf(
  newest: ClusterObjectSet,
  revision: RevisionMetadata,
  objects: readonly JsonObject[],
  current: readonly JsonObject[],
): JsonObject[] {
  if (!isRollBackTo(newest, revision)) return [...objects];
  const kept = new Map(current.filter((each) => each["kind"] === "CustomResourceDefinition").map((each) => [nameOf(each), each]));
  const merged = objects.map((each) => (each["kind"] === "CustomResourceDefinition" ? (kept.get(nameOf(each)) ?? each) : each));
  const names = new Set(merged.filter((each) => each["kind"] === "CustomResourceDefinition").map(nameOf));
  return [...merged, ...[...kept].filter(([name]) => !names.has(name)).map(([, each]) => each)];
}

/** What a revision of an extension without a policy has: CRDs and failure record of the newest one are kept if that is a rollback to the same bundle. */
export async function repeatRollBack(
  client: ManagerContext["client"],
  newest: ClusterObjectSet | undefined,
  revision: RevisionMetadata,
  { objects, annotations }: GeneratedObjects,
): Promise<GeneratedObjects> {
  if (newest === undefined || !isRollBackTo(newest, revision)) return { objects, annotations };
  const kept = keepDefinitionsOf(newest, revision, objects, await readObjects(newest, readSecrets(client)));
  return {
    objects: kept,
    annotations: { ...annotations, [ROLLED_BACK_ANNOTATION]: newest.metadata.annotations![ROLLED_BACK_ANNOTATION]! },
  };
}

function isRollBackTo(newest: ClusterObjectSet, { bundle, image }: RevisionMetadata): boolean {
  const own = readRevisionMetadata(newest);
  return (
    readFailureRecord(newest) !== undefined &&
    own.image === image &&
    own.bundle.name === bundle.name &&
    own.bundle.version === bundle.version
  );
}

/** Webhooks of the failed revision could reject the objects of the rollback. The failed revision does not create them again: it is superseded. */
async function removeFailedWebhooks(
  { client }: RollBackContext,
  newest: ClusterObjectSet,
  revisions: readonly ClusterObjectSet[],
  record: FailureRecord,
): Promise<void> {
  const failed = revisions.find(({ spec }) => spec.revision === record.revision);
  if (failed === undefined || failed.spec.lifecycleState === "Archived") return;
  const read = readSecrets(client);
  const [kept, current] = await Promise.all([readObjects(newest, read), readObjects(failed, read)]);
  const names = new Set(kept.map((each) => `${String(each["kind"])}/${nameOf(each)}`));
  for (const kind of [ValidatingWebhookConfiguration, MutatingWebhookConfiguration]) {
    for (const object of current) {
      if (object["kind"] !== kind.kind || names.has(`${kind.kind}/${nameOf(object)}`)) continue;
      const live = await client.find(kind, { name: nameOf(object) });
      if (live === undefined || findController(live as unknown as LiveObject)?.uid !== failed.metadata.uid) continue;
      await client.delete(kind, { name: nameOf(object) }, { uid: live.metadata.uid }).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw failure(`removing ${kind.kind} ${nameOf(object)}: ${describeError(error)}`, error);
      });
    }
  }
}

function copyBundleAnnotations({ metadata }: ClusterObjectSet): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => name.startsWith("olm.")));
}

function refuse(record: FailureRecord, why: string): Hold {
  return new Hold(
    "RollBackRefused",
    `version ${record.version} (revision ${record.revision}) ${record.reason}; it cannot be taken back: ${why}`,
  );
}

function nameOf(object: JsonObject): string {
  return String((object["metadata"] as JsonObject | undefined)?.["name"]);
}

function hasConversion({ spec }: JsonObject): boolean {
  return (spec as { readonly conversion?: { readonly strategy?: string } } | undefined)?.conversion?.strategy === "Webhook";
}
