/** Metadata of a stored object: fields that the server always sets are required. */
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

/** Metadata of a stored object of a namespaced kind. */
export interface NamespacedMetadata extends Metadata {
  readonly namespace: string;
}

/** A reference to the owner of an object. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

/** The fields of one field manager. */
export interface ManagedFieldsEntry {
  readonly manager?: string | undefined;
  readonly operation?: "Apply" | "Update" | undefined;
  readonly apiVersion?: string | undefined;
  readonly time?: string | undefined;
  readonly fieldsType?: string | undefined;
  readonly fieldsV1?: unknown;
  readonly subresource?: string | undefined;
}

/** Metadata of a desired object. The name is its identity, so there is no `generateName`. */
export interface DesiredMetadata {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
}

/** Metadata of a desired object of a namespaced kind. Default namespace: that of the parent. */
export interface DesiredNamespacedMetadata extends DesiredMetadata {
  readonly namespace?: string | undefined;
}

/** Metadata in templates, where no field is required. */
export interface TemplateMetadata {
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
}

/** A condition of a status. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number | undefined;
}

/** An exact decimal with a unit: "500m", "1.5Gi". Different texts may be the same quantity, so do not compare with `===`. */
export type Quantity = string;
/** A port number or name, a count or a percentage. */
export type IntOrString = number | string;
/** RFC 3339 with seconds: "2026-01-31T12:00:00Z". */
export type Time = string;
/** RFC 3339 with exactly six decimals, see `formatMicroTime`. */
export type MicroTime = string;

/** A label selector of a spec. */
export interface LabelSelector {
  readonly matchExpressions?: readonly LabelSelectorRequirement[] | undefined;
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
}

/** One requirement of a label selector. */
export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[] | undefined;
}

/** One requirement of a field selector. */
export interface FieldSelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[] | undefined;
}

/** metav1.DeleteOptions. */
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

/** Preconditions of a deletion. */
export interface Preconditions {
  readonly resourceVersion?: string | undefined;
  readonly uid?: string | undefined;
}
