import type { JsonObject } from "pintle/internal/json";
import type { Kind, LabelSelector } from "pintle/kinds";
import { defineUntypedKind, type Metadata } from "pintle/kinds";

/** The fields of a condition. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
}

/** The fields that every object of the API has. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

/** A catalog of bundles. */
export interface ClusterCatalog extends StoredObject {
  readonly spec: {
    readonly source: {
      readonly type: "Image";
      readonly image?: { readonly ref: string; readonly pollIntervalMinutes?: number };
    };
    readonly priority?: number;
    readonly availabilityMode?: "Available" | "Unavailable";
  };
  readonly status?: ClusterCatalogStatus;
}

/** The status of a catalog. */
export interface ClusterCatalogStatus {
  readonly conditions?: readonly Condition[];
  readonly resolvedSource?: { readonly type: "Image"; readonly image: { readonly ref: string } };
  readonly urls?: { readonly base: string };
  readonly lastUnpacked?: string;
}

/** The version of a bundle, as it is in the status of an extension. */
export interface BundleMetadata {
  readonly name: string;
  readonly version: string;
  /** Only with the gate BundleReleaseSupport. */
  readonly release?: string;
}

/** An installed extension. */
export interface ClusterExtension extends StoredObject {
  readonly spec: {
    readonly namespace: string;
    readonly serviceAccount?: { readonly name?: string };
    readonly source: {
      readonly sourceType: "Catalog";
      readonly catalog?: {
        readonly packageName: string;
        readonly version?: string;
        readonly channels?: readonly string[];
        readonly selector?: LabelSelector;
        readonly upgradeConstraintPolicy?: "CatalogProvided" | "SelfCertified";
      };
    };
    readonly install?: { readonly preflight?: { readonly crdUpgradeSafety?: { readonly enforcement?: "None" | "Strict" } } };
    readonly config?: { readonly configType: "Inline"; readonly inline?: JsonObject };
    readonly progressDeadlineMinutes?: number;
  };
  readonly status?: ClusterExtensionStatus;
}

/** The status of an extension. */
export interface ClusterExtensionStatus {
  readonly conditions?: readonly Condition[];
  readonly install?: { readonly bundle: BundleMetadata };
  readonly activeRevisions?: readonly { readonly name: string; readonly conditions?: readonly Condition[] }[];
}

/** How a revision treats objects that already exist. */
export type CollisionProtection = "Prevent" | "IfNoController" | "None";

/** An object of a phase, or a reference to the Secret that contains it. */
export interface PhaseObject {
  readonly object?: JsonObject;
  readonly ref?: { readonly name: string; readonly namespace?: string; readonly key: string };
  readonly collisionProtection?: CollisionProtection;
}

/** Objects that are applied together. */
export interface Phase {
  readonly name: string;
  readonly objects: readonly PhaseObject[];
  readonly collisionProtection?: CollisionProtection;
}

/** The conditions that objects must meet before the next phase starts. */
export interface ProgressionProbe {
  readonly selector: {
    readonly type: "GroupKind" | "Label";
    readonly groupKind?: { readonly group: string; readonly kind: string };
    readonly label?: LabelSelector;
  };
  readonly assertions: readonly ProbeAssertion[];
}

/** What a probe requires of an object; the field that `type` names is set. */
export interface ProbeAssertion {
  readonly type: "ConditionEqual" | "FieldsEqual" | "FieldValue";
  readonly conditionEqual?: { readonly type: string; readonly status: "True" | "False" };
  readonly fieldsEqual?: { readonly fieldA: string; readonly fieldB: string };
  readonly fieldValue?: { readonly fieldPath: string; readonly value: string };
}

/** A revision of an extension: the objects of one bundle, in phases. */
export interface ClusterObjectSet extends StoredObject {
  readonly spec: {
    readonly lifecycleState: "Active" | "Archived";
    readonly revision: number;
    readonly phases?: readonly Phase[];
    readonly progressionProbes?: readonly ProgressionProbe[];
    readonly progressDeadlineMinutes?: number;
    readonly collisionProtection: CollisionProtection;
  };
  readonly status?: ClusterObjectSetStatus;
}

/** The status of a revision. */
export interface ClusterObjectSetStatus {
  readonly conditions?: readonly Condition[];
  readonly observedPhases?: readonly ObservedPhase[];
}

/** The content of a phase when its revision was first reconciled. */
export interface ObservedPhase {
  readonly name: string;
  readonly digest: string;
}

/** An object as a client writes it. */
export type ObjectToWrite = { readonly metadata: { readonly name: string }; readonly [field: string]: unknown };
type ClusterKind<K extends string, T> = Kind<`olm.operatorframework.io/v1/${K}`, T, ObjectToWrite, "Cluster">;

function defineClusterKind<const K extends string, T>(kind: K): ClusterKind<K, T> {
  const definition = {
    group: "olm.operatorframework.io",
    version: "v1",
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope: "Cluster",
    subresources: ["status"],
  } as const;
  return defineUntypedKind(definition) as unknown as ClusterKind<K, T>;
}

/**
 * The kind of catalogs.
 *
 * @example
 * ```ts
 * import { ClusterCatalogKind } from "@pintle/lifecycle/manager";
 * import { connect } from "pintle/client";
 *
 * const client = await connect();
 * for (const { metadata, status } of (await client.list(ClusterCatalogKind)).items) console.log(metadata.name, status?.lastUnpacked);
 * ```
 */
export const ClusterCatalogKind: ClusterKind<"ClusterCatalog", ClusterCatalog> = defineClusterKind("ClusterCatalog");
/**
 * The kind of extensions.
 *
 * @example
 * ```ts
 * import { ClusterExtensionKind } from "@pintle/lifecycle/manager";
 * import { connect } from "pintle/client";
 *
 * const client = await connect();
 * for (const { metadata, status } of (await client.list(ClusterExtensionKind)).items) {
 *   console.log(metadata.name, status?.install?.bundle.version);
 * }
 * ```
 */
export const ClusterExtensionKind: ClusterKind<"ClusterExtension", ClusterExtension> = defineClusterKind("ClusterExtension");
/**
 * The kind of revisions.
 *
 * @example
 * ```ts
 * import { ClusterObjectSetKind } from "@pintle/lifecycle/manager";
 * import { connect } from "pintle/client";
 *
 * const client = await connect();
 * for (const { metadata, spec } of (await client.list(ClusterObjectSetKind)).items) console.log(metadata.name, spec.lifecycleState);
 * ```
 */
export const ClusterObjectSetKind: ClusterKind<"ClusterObjectSet", ClusterObjectSet> = defineClusterKind("ClusterObjectSet");
