import { AlreadyExists, type Client } from "pintle/client";
import { canonicalJson } from "pintle/internal/merge";
import type { Metadata, OwnerReference } from "pintle/kinds";
import { ControllerRevision } from "pintle/kinds/apps/v1";
import type { PodTemplateSpec } from "pintle/kinds/core/v1";
import { FIELD_MANAGER } from "../field-manager.ts";
import { computeTemplateHash } from "./template-hash.ts";

/** Builds the data of a revision: the template as a strategic merge patch that restores it. */
export function buildRevisionData(template: PodTemplateSpec): object {
  return { spec: { template: { ...template, $patch: "replace" } } };
}

export function getRevisionTemplate({ data }: ControllerRevision): PodTemplateSpec {
  const { $patch: _, ...template } = (data as { spec: { template: PodTemplateSpec & { $patch?: string } } }).spec.template;
  return template;
}

export interface RevisionOwner {
  readonly object: { readonly metadata: Metadata };
  readonly reference: OwnerReference;
  readonly template: PodTemplateSpec;
  /** The label for the hash. */
  readonly hashLabel: string;
  readonly collisionCount: number;
}

export type NewRevision = Omit<ControllerRevision, "metadata" | "apiVersion" | "kind"> & {
  readonly metadata: Pick<Metadata, "name" | "labels" | "annotations" | "ownerReferences"> & { readonly namespace: string };
};

/** The change that makes the newest revision that of the current template. */
export type RevisionPlan =
  | { readonly type: "known"; readonly revision: ControllerRevision }
  /** An older revision has this template and becomes the newest again. */
  | { readonly type: "renumber"; readonly revision: ControllerRevision; readonly to: number }
  | { readonly type: "create"; readonly revision: NewRevision };

export function sortRevisions(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
  return [...revisions].sort((a, b) => a.revision - b.revision || (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1));
}

/** Plans the change of the history. `revisions` must be sorted. Pure. */
export function planRevision(owner: RevisionOwner, revisions: readonly ControllerRevision[]): RevisionPlan {
  const newest = revisions.at(-1);
  const same = revisions
    .filter((revision) => canonicalJson(getRevisionTemplate(revision) as never) === canonicalJson(owner.template as never))
    .at(-1);
  if (same !== undefined && same === newest) return { type: "known", revision: same };
  const next = (newest?.revision ?? 0) + 1;
  if (same !== undefined) return { type: "renumber", revision: same, to: next };
  const { name, namespace = "", annotations } = owner.object.metadata;
  const hash = computeTemplateHash(owner.template, owner.collisionCount);
  return {
    type: "create",
    revision: {
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels: { ...owner.template.metadata?.labels, [owner.hashLabel]: hash },
        annotations,
        ownerReferences: [owner.reference],
      },
      data: buildRevisionData(owner.template) as never,
      revision: next,
    },
  };
}

/** Selects the unused revisions beyond the limit, oldest first. */
function selectRevisionsToTruncate(
  revisions: readonly ControllerRevision[],
  inUse: ReadonlySet<string>,
  limit: number,
): readonly ControllerRevision[] {
  const idle = revisions.filter(({ metadata }) => !inUse.has(metadata.name));
  return idle.slice(0, Math.max(0, idle.length - limit));
}

/**
 * Returns the revision of the current template after creating or renumbering it if necessary; undefined if its name is taken by another
 * revision.
 */
export async function syncRevisionHistory(
  client: Pick<Client, "create" | "replace">,
  owner: RevisionOwner,
  revisions: readonly ControllerRevision[],
): Promise<ControllerRevision | undefined> {
  const step = planRevision(owner, revisions);
  if (step.type === "known") return step.revision;
  if (step.type === "renumber") return client.replace(ControllerRevision, { ...step.revision, revision: step.to }, FIELD_MANAGER);
  try {
    return await client.create(ControllerRevision, step.revision, FIELD_MANAGER);
  } catch (error) {
    if (error instanceof AlreadyExists) return undefined;
    throw error;
  }
}

/** Deletes the unused revisions beyond the limit. */
export async function truncateHistory(
  client: Pick<Client, "delete">,
  revisions: readonly ControllerRevision[],
  inUse: ReadonlySet<string>,
  limit = 10,
): Promise<void> {
  for (const { metadata } of selectRevisionsToTruncate(sortRevisions(revisions), inUse, limit)) {
    await client.delete(ControllerRevision, metadata, { uid: metadata.uid });
  }
}
