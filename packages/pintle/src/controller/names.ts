import type { KindInfo } from "../kinds/index.ts";

/** Prefix of every label, annotation and finalizer that Pintle writes. */
export const METADATA_PREFIX = "pintle.dev";
/** The last-applied record: "<controller> <digest of the desired state> [<digest of the stored result>]". */
export const LAST_APPLIED_ANNOTATION = `${METADATA_PREFIX}/applied`;
/** Label of a cross-namespace child: the uid of its owner. */
export const OWNER_UID_LABEL = `${METADATA_PREFIX}/owner`;
/** Annotation of a cross-namespace child: "namespace/name" of its owner. */
export const OWNER_NAME_ANNOTATION = `${METADATA_PREFIX}/owned-by`;
/** Annotation of a child that survives its owner: "always" or "on-delete". */
export const KEEP_ANNOTATION = `${METADATA_PREFIX}/keep`;
/** Annotation of a child of `keepLast()`: the name of its history. */
export const HISTORY_ANNOTATION = `${METADATA_PREFIX}/history`;
/** Annotation that pauses reconciliation of an object while it is "true". A deletion is still finalized. */
export const PAUSED_ANNOTATION = `${METADATA_PREFIX}/paused`;

/** Name of an object; without a namespace for cluster-scoped objects. */
export interface NamespacedName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Formats "namespace/name", or "name" for a cluster-scoped object. */
export function formatName({ namespace, name }: NamespacedName): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** Formats "Deployment default/web". */
export function formatObject(kind: KindInfo, at: NamespacedName): string {
  return `${kind.kind} ${formatName(at)}`;
}

/** Returns the work queue key of an object. */
export const toKey = formatName;
/** Parses a work queue key. */
export function parseKey(key: string): NamespacedName {
  const at = key.indexOf("/");
  return at < 0 ? { name: key } : { namespace: key.slice(0, at), name: key.slice(at + 1) };
}
