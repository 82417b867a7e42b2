import { NotFound } from "pintle/client";
import type { ManagerContext } from "../api/context.ts";
import { ExtensionPolicyKind } from "../api/policy-types.ts";
import { ClusterCatalogKind, type ClusterExtension, ClusterObjectSetKind } from "../api/types.ts";
import { hasObjects } from "../extensions/apply-revision.ts";
import { generateObjects } from "../extensions/generate-objects.ts";
import { resolveExtension } from "../extensions/resolve-extension.ts";
import { readRevisionStates, revisionAnnotations, sortRevisions } from "../extensions/revision-states.ts";
import { readObjects } from "../object-sets/resolve-phases.ts";
import { readBundleFiles, resolveSource } from "./bundle-source.ts";
import { replaceCertManager } from "./certificates.ts";
import { type ComputedPlan, computePlan } from "./compute-plan.ts";
import { readImageStates } from "./image-states.ts";
import { nameOperatorCondition } from "./operator-condition.ts";
import { readSecrets } from "./read-secrets.ts";
import { keepDefinitionsOf } from "./roll-back.ts";
import { selectPolicy } from "./select-policy.ts";
import { findRefusedObjects } from "./stored-objects.ts";

/** The dependencies of `planExtension`. */
export type PlanContext = Pick<ManagerContext, "client" | "images" | "catalogs" | "gates" | "systemNamespace" | "clock">;

/** A plan, and whether it changes anything. */
export interface PlannedExtension extends ComputedPlan {
  readonly isUpToDate: boolean;
}

/**
 * Computes what the manager would do with an extension now. Nothing is written; with a policy, the digest is that of the ExtensionPlan that the manager
 * writes. Rejects with the reason if no bundle can be chosen or rendered.
 */
export async function planExtension(context: PlanContext, extension: ClusterExtension, signal: AbortSignal): Promise<PlannedExtension> {
  const { client } = context;
  const labels = { "olm.operatorframework.io/owner-name": extension.metadata.name };
  const [catalogs, policies, objectSets] = await Promise.all([
    client.list(ClusterCatalogKind, { signal }),
    client.list(ExtensionPolicyKind, { signal }).catch((error: unknown) => {
      // A cluster with upstream's manager has no policies.
      if (error instanceof NotFound) return { items: [] };
      throw error;
    }),
    client.list(ClusterObjectSetKind, { labels, signal }),
  ]);
  const revisions = sortRevisions(objectSets.items);
  const states = readRevisionStates(revisions);
  const policy = selectPolicy(policies.items, extension);
  const { installed } = states;
  const revision =
    policy?.spec.source === undefined
      ? (
          await resolveExtension(
            context,
            catalogs.items,
            extension,
            installed?.bundle,
            (policy?.spec.dependencies ?? "Refuse") !== "Refuse",
          )
        ).revision
      : await resolveSource(context, policy, extension, signal);
  const files =
    policy === undefined
      ? await context.images.pullBundle(revision.image, signal)
      : await readBundleFiles(context, policy, revision.image, signal);
  const generated = generateObjects(files, extension, revisionAnnotations(revision), context.gates);
  const newest = revisions.at(-1);
  const current = newest === undefined ? [] : await readObjects(newest, readSecrets(client));
  const own = policy?.spec.certificates === "Pintle" ? replaceCertManager(generated.objects).objects : generated.objects;
  const rendered = newest === undefined ? own : keepDefinitionsOf(newest, revision, own, current);
  const named = policy === undefined ? rendered : nameOperatorCondition(rendered, extension.metadata.name);
  const isUpToDate = newest !== undefined && [named, rendered].some((objects) => hasObjects(newest, objects, context.systemNamespace));
  const number = revisions.find(({ metadata }) => metadata.name === installed?.revisionName)?.spec.revision;
  const plan = await computePlan(client, {
    extension: extension.metadata.name,
    from:
      installed === undefined || number === undefined
        ? undefined
        : { name: installed.bundle.name, version: installed.bundle.version, image: installed.image, revision: number },
    to: { name: revision.bundle.name, version: revision.bundle.version, image: revision.image },
    objects: named,
    current,
    images: await readImageStates(context, policy, revision.image, named, signal),
    refused: isUpToDate ? [] : await findRefusedObjects(client, named),
    now: context.clock.now(),
  });
  return { ...plan, isUpToDate };
}
