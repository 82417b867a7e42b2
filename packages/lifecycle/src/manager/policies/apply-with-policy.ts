import type { ManagerContext } from "../api/context.ts";
import type { ExtensionPolicy } from "../api/policy-types.ts";
import type { ClusterExtension, ClusterObjectSet } from "../api/types.ts";
import { applyRevision, hasObjects } from "../extensions/apply-revision.ts";
import type { GeneratedObjects } from "../extensions/generate-objects.ts";
import type { RevisionMetadata, RevisionStates } from "../extensions/revision-states.ts";
import { readObjects } from "../object-sets/resolve-phases.ts";
import { admissionAnnotations, admitRevision, trimInstallerRules } from "./admit-revision.ts";
import { ensureCertificates, replaceCertManager } from "./certificates.ts";
import { readImageStates } from "./image-states.ts";
import { ensureOperatorCondition, nameOperatorCondition, refuseWhileNotUpgradeable } from "./operator-condition.ts";
import { readSecrets } from "./read-secrets.ts";
import { keepDefinitionsOf, readFailureRecord } from "./roll-back.ts";
import { findRefusedObjects, migrateStoredObjects } from "./stored-objects.ts";

/** The objects to apply, and the present state. */
export interface PolicyApplication {
  readonly policy: ExtensionPolicy;
  readonly extension: ClusterExtension;
  readonly revision: RevisionMetadata;
  readonly generated: GeneratedObjects;
  readonly revisions: readonly ClusterObjectSet[];
  readonly states: RevisionStates;
}

/**
 * Creates a revision with the generated objects unless the newest one has them, if the policy admits it. Throws `Hold` if it does not. Resolves with the
 * time of the next check.
 */
export async function applyWithPolicy(
  context: ManagerContext,
  application: PolicyApplication,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { client, systemNamespace } = context;
  const { policy, extension, revision, generated, revisions, states } = application;
  const newest = revisions.at(-1);
  const current = newest === undefined ? [] : await readObjects(newest, readSecrets(client));
  const own =
    policy.spec.certificates === "Pintle" ? replaceCertManager(generated.objects) : { objects: generated.objects, certificates: [] };
  const rendered = newest === undefined ? own.objects : keepDefinitionsOf(newest, revision, own.objects, current);
  const annotations = { ...generated.annotations, ...admissionAnnotations(extension, policy) };
  const named = nameOperatorCondition(rendered, extension.metadata.name);
  // A new policy alone does not restart an operator: its additions are part of the next revision.
  const unchanged = newest === undefined ? undefined : [named, rendered].find((objects) => hasObjects(newest, objects, systemNamespace));
  if (newest !== undefined && unchanged !== undefined) {
    // The failure record of a rollback is kept.
    const kept = readFailureRecord(newest) === undefined ? annotations : { ...annotations, ...remembered(newest) };
    await applyRevision(context, extension, { objects: unchanged, annotations: kept }, revisions, { policy });
    const isSettled = states.rollingOut.length === 0;
    if (isSettled && policy.spec.rights === "Derived") await trimInstallerRules(context, extension, unchanged);
    if (isSettled && policy.spec.stored === "Migrate") await migrateStoredObjects(client, unchanged);
    await ensureOperatorCondition(client, extension, unchanged);
    return ensureCertificates(context, extension, own);
  }
  const isOther = states.installed !== undefined && states.installed.bundle.name !== revision.bundle.name;
  if (isOther) await refuseWhileNotUpgradeable(client, extension, revision.bundle.version);
  if (policy.spec.stored === "Migrate") await migrateStoredObjects(client, named);
  await admitRevision(context, {
    extension,
    policy,
    revision,
    installed: findInstalled(states, revisions),
    objects: named,
    current,
    isFirst: states.installed === undefined,
    checksDefinitions: extension.spec.install?.preflight?.crdUpgradeSafety?.enforcement !== "None",
    images: await readImageStates(context, policy, revision.image, named, signal),
    refused: policy.spec.stored === "Ignore" ? [] : await findRefusedObjects(client, named),
  });
  await ensureOperatorCondition(client, extension, named);
  // Pods that mount a certificate cannot start before its Secret exists.
  const requeueAfter = await ensureCertificates(context, extension, own);
  await applyRevision(context, extension, { objects: named, annotations }, revisions, { policy });
  return requeueAfter;
}

function findInstalled({ installed }: RevisionStates, revisions: readonly ClusterObjectSet[]) {
  const found = revisions.find(({ metadata }) => metadata.name === installed?.revisionName);
  return installed === undefined || found === undefined ? undefined : { ...installed, number: found.spec.revision };
}

function remembered({ metadata }: ClusterObjectSet): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => name.startsWith("lifecycle.pintle.dev/")));
}
