/** Metadata of anything that has been stored: what the server always fills in is not optional. */
export interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly generateName?: string | undefined;
  readonly generation?: number | undefined;
  readonly namespace?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined;
}

/** A stored object that lives in a namespace always says which one. */
export interface NamespacedMetadata extends Metadata {
  readonly namespace: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

export interface ManagedFieldsEntry {
  readonly manager?: string | undefined;
  readonly operation?: "Apply" | "Update" | undefined;
  readonly apiVersion?: string | undefined;
  readonly time?: string | undefined;
  readonly fieldsType?: string | undefined;
  readonly fieldsV1?: unknown;
  readonly subresource?: string | undefined;
}

/** Metadata a user writes. The name is the identity, so `generateName` is not offered. */
export interface DesiredMetadata {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
}

/** As above for namespaced kinds; without `namespace` a child lives beside its parent. */
export interface DesiredNamespacedMetadata extends DesiredMetadata {
  readonly namespace?: string | undefined;
}

/** Metadata inside templates, where nothing is required. */
export interface TemplateMetadata {
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
}

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number | undefined;
}

/** Exact decimal with a unit: "500m", "1.5Gi". Two texts can be one quantity; compare with pintle/merge, not with `===`. */
export type Quantity = string;
/** A port number or name, a count or a percentage. */
export type IntOrString = number | string;
/** RFC 3339 to the second: "2026-01-31T12:00:00Z". */
export type Time = string;
/** RFC 3339 with exactly six decimals; made by `microTime()`. */
export type MicroTime = string;

export interface LabelSelector {
  readonly matchExpressions?: readonly LabelSelectorRequirement[] | undefined;
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[] | undefined;
}

export interface FieldSelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[] | undefined;
}

export interface DeleteOptions {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly dryRun?: readonly "All"[] | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly preconditions?: Preconditions | undefined;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
}

export interface Preconditions {
  readonly resourceVersion?: string | undefined;
  readonly uid?: string | undefined;
}
