import type { JsonObject } from "pintle/internal/json";
import { digest } from "pintle/internal/merge";
import type { AnyKind, ManagedFieldsEntry, Metadata, OwnerReference } from "pintle/kinds";

/** An object of any kind, as the API server returns it. */
export interface LiveObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata & { readonly managedFields?: readonly ManagedFieldsEntry[] };
  readonly [field: string]: unknown;
}

/** A desired object of a revision. */
export type DesiredObject = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerReference[];
    readonly resourceVersion?: string;
  };
};

/** Group and version of `apps/v1` or `v1`. */
export function splitApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? { group: "", version: apiVersion } : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Without the namespace that bundles give to objects of cluster-scoped kinds, such as configurations of webhooks. */
export function scopeObject<T extends { readonly metadata: object }>({ scope }: AnyKind, object: T): T {
  if (scope !== "Cluster" || !("namespace" in object.metadata)) return object;
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Names an object as Go formats its GroupVersionKind and its key. */
export function formatGvkAndKey({ apiVersion, kind, metadata }: DesiredObject): string {
  const { group, version } = splitApiVersion(apiVersion);
  return `${group}/${version}, Kind=${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}

/** Names an object as the results of phases do. */
export function formatObject({ apiVersion, kind, metadata }: DesiredObject | LiveObject): string {
  return `Object ${kind}.${apiVersion} ${metadata.namespace ?? ""}/${metadata.name}`;
}

/** The owner that controls an object. */
export function findController({ metadata }: LiveObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** A digest of everything that an apply could change: not the status, and nothing that the API server writes itself. */
export function digestAppliedState(object: LiveObject): string {
  const { status: _, metadata, ...rest } = object;
  const { name, labels = {}, annotations = {}, ownerReferences = [], finalizers = [], uid } = metadata;
  return digest({ ...rest, metadata: { name, uid, labels, annotations, ownerReferences, finalizers } });
}
