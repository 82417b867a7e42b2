import type { ManagerContext } from "../api/context.ts";
import type { ExtensionPolicy } from "../api/policy-types.ts";
import type { ClusterExtension, ClusterObjectSet } from "../api/types.ts";
import { applyRevision, hasObjects } from "../extensions/apply-revision.ts";
import type { GeneratedObjects } from "../extensions/generate-objects.ts";
import type { RevisionMetadata, RevisionStates } from "../extensions/revision-states.ts";
import { readObjects } from "../object-sets/resolve-phases.ts";
import { admissionAnnotations, admitRevision, trimInstallerRules } from "./admit-revision.ts";
import { readSecrets } from "./read-secrets.ts";
import { keepDefinitionsOf, readFailureRecord } from "./roll-back.ts";

/** What is to be applied, and what there is. */
export interface PolicyApplication {
  readonly policy: ExtensionPolicy;
  readonly extension: ClusterExtension;
  readonly revision: RevisionMetadata;
  readonly generated: GeneratedObjects;
  readonly revisions: readonly ClusterObjectSet[];
  readonly states: RevisionStates;
}

/** Makes the newest revision of an extension have the generated objects, if the policy lets a new one begin. Throws `Hold` if it does not. */
export async function applyWithPolicy(context: ManagerContext, application: PolicyApplication): Promise<void> {
  const { client, systemNamespace } = context;
  const { policy, extension, revision, generated, revisions, states } = application;
  const newest = revisions.at(-1);
  const current = newest === undefined ? [] : await readObjects(newest, readSecrets(client));
  const objects = newest === undefined ? generated.objects : await keepDefinitionsOf(newest, generated.objects, current);
  const annotations = { ...generated.annotations, ...admissionAnnotations(extension, policy) };
  const isUnchanged = newest !== undefined && hasObjects(newest, objects, systemNamespace);
  if (isUnchanged) {
    const record = readFailureRecord(newest);
    // Of a revision that goes back, what it remembers stays: the annotations of ours are not owned by anything else.
    const kept = record === undefined ? annotations : { ...annotations, ...remembered(newest) };
    await applyRevision(context, extension, { objects, annotations: kept }, revisions, { policy });
    if (policy.spec.rights === "Derived" && states.rollingOut.length === 0) await trimInstallerRules(context, extension, objects);
    return;
  }
  await admitRevision(context, {
    extension,
    policy,
    revision,
    installed: findInstalled(states, revisions),
    objects,
    current,
    isFirst: states.installed === undefined,
  });
  await applyRevision(context, extension, { objects, annotations }, revisions, { policy });
}

function findInstalled({ installed }: RevisionStates, revisions: readonly ClusterObjectSet[]) {
  const found = revisions.find(({ metadata }) => metadata.name === installed?.revisionName);
  return installed === undefined || found === undefined ? undefined : { ...installed, number: found.spec.revision };
}

function remembered({ metadata }: ClusterObjectSet): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => name.startsWith("lifecycle.pintle.dev/")));
}
