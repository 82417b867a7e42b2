import { createHash } from "node:crypto";
import type { Metadata, OwnerReference } from "pintle/kinds";
import type { ControllerRevision } from "pintle/kinds/apps/v1";
import type { PodTemplateSpec } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";

/** Kubernetes' alphabet for generated names: no vowels, so no words. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** The name of a template's revision. Only stability matters to anyone: the value is opaque. */
export function revisionHash(template: PodTemplateSpec, collisions: number): string {
  const digest = createHash("sha256").update(canonical(template)).update(String(collisions)).digest();
  return Array.from(digest.subarray(0, 10), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** What a revision remembers: the template, as a patch that would bring it back. */
export function revisionData(template: PodTemplateSpec): object {
  return { spec: { template: { ...template, $patch: "replace" } } };
}

export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { $patch: _, ...template } = (data as { spec: { template: PodTemplateSpec & { $patch?: string } } }).spec.template;
  return template;
}

export interface RevisionOwner {
  readonly object: { readonly metadata: Metadata };
  readonly reference: OwnerReference;
  readonly template: PodTemplateSpec;
  /** Under which label the hash is kept. */
  readonly hashLabel: string;
  readonly collisions: number;
}

export type NewRevision = Omit<ControllerRevision, "metadata" | "apiVersion" | "kind"> & {
  readonly metadata: Pick<Metadata, "name" | "labels" | "annotations" | "ownerReferences"> & { readonly namespace: string };
};

/** What is to be done so that the newest revision is that of the current template. */
export type HistoryStep =
  | { readonly type: "known"; readonly revision: ControllerRevision }
  /** An older one has this template: it becomes the newest again. */
  | { readonly type: "renumber"; readonly revision: ControllerRevision; readonly to: number }
  | { readonly type: "create"; readonly revision: NewRevision };

export function byNumber(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
  return [...revisions].sort((a, b) => a.revision - b.revision || (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1));
}

/** Pure. `revisions` in order. */
export function historyStep(owner: RevisionOwner, revisions: readonly ControllerRevision[]): HistoryStep {
  const newest = revisions.at(-1);
  const same = revisions.filter((revision) => canonical(templateOf(revision) as never) === canonical(owner.template as never)).at(-1);
  if (same !== undefined && same === newest) return { type: "known", revision: same };
  const next = (newest?.revision ?? 0) + 1;
  if (same !== undefined) return { type: "renumber", revision: same, to: next };
  const { name, namespace = "", annotations } = owner.object.metadata;
  const hash = revisionHash(owner.template, owner.collisions);
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
      data: revisionData(owner.template) as never,
      revision: next,
    },
  };
}

/** Old revisions that nothing uses, beyond the limit, eldest first. */
export function surplus(
  revisions: readonly ControllerRevision[],
  inUse: ReadonlySet<string>,
  limit: number,
): readonly ControllerRevision[] {
  const idle = revisions.filter(({ metadata }) => !inUse.has(metadata.name));
  return idle.slice(0, Math.max(0, idle.length - limit));
}
