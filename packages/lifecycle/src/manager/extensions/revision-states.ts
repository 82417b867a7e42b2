import { isConditionTrue } from "../api/conditions.ts";
import { BUNDLE_NAME, BUNDLE_REFERENCE, BUNDLE_RELEASE, BUNDLE_VERSION, PACKAGE_NAME } from "../api/names.ts";
import type { BundleMetadata, ClusterObjectSet, Condition } from "../api/types.ts";

/** A bundle that is installed, rolls out, or is to be installed. */
export interface RevisionMetadata {
  /** The ClusterObjectSet; undefined if there is none yet. */
  readonly revisionName?: string | undefined;
  readonly packageName: string;
  readonly image: string;
  readonly bundle: BundleMetadata;
  readonly conditions: readonly Condition[];
}

/** The revisions of an extension that are not archived. */
export interface RevisionStates {
  readonly installed: RevisionMetadata | undefined;
  /** The oldest first. */
  readonly rollingOut: readonly RevisionMetadata[];
}

/** Sorts revisions by their number. */
export function sortRevisions(objectSets: readonly ClusterObjectSet[]): ClusterObjectSet[] {
  return objectSets.toSorted((a, b) => a.spec.revision - b.spec.revision);
}

/** Finds the installed revision, and those that roll out. */
export function readRevisionStates(objectSets: readonly ClusterObjectSet[]): RevisionStates {
  let installed: RevisionMetadata | undefined;
  const rollingOut: RevisionMetadata[] = [];
  for (const objectSet of sortRevisions(objectSets)) {
    if (objectSet.spec.lifecycleState === "Archived") continue;
    const revision = readRevisionMetadata(objectSet);
    if (isConditionTrue(objectSet.status?.conditions, "Succeeded")) installed = revision;
    else rollingOut.push(revision);
  }
  return { installed, rollingOut };
}

/** Reads the bundle of a revision from its annotations. */
export function readRevisionMetadata({ metadata, status }: ClusterObjectSet): RevisionMetadata {
  const { annotations = {} } = metadata;
  const release = annotations[BUNDLE_RELEASE];
  return {
    revisionName: metadata.name,
    packageName: annotations[PACKAGE_NAME] ?? "",
    image: annotations[BUNDLE_REFERENCE] ?? "",
    bundle: {
      name: annotations[BUNDLE_NAME] ?? "",
      version: annotations[BUNDLE_VERSION] ?? "",
      ...(release === undefined ? {} : { release }),
    },
    conditions: status?.conditions ?? [],
  };
}

/** The annotations of a revision that has this bundle. */
export function revisionAnnotations({ bundle, packageName, image }: RevisionMetadata): Record<string, string> {
  return {
    [BUNDLE_NAME]: bundle.name,
    [PACKAGE_NAME]: packageName,
    [BUNDLE_VERSION]: bundle.version,
    [BUNDLE_REFERENCE]: image,
    ...(bundle.release === undefined ? {} : { [BUNDLE_RELEASE]: bundle.release }),
  };
}
