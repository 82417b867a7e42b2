import { defineUntypedKind, type Kind, type LabelSelector } from "pintle/kinds";
import type { Condition, ObjectToWrite, ProgressionProbe, StoredObject } from "./types.ts";

/** Settings of extensions that OLM v1 does not have. Without a policy the manager behaves as OLM v1. */
export interface ExtensionPolicy extends StoredObject {
  readonly spec: {
    /** The extension, by name. Outranks a selector. */
    readonly extensionName?: string;
    /** The extensions, by label. */
    readonly extensionSelector?: LabelSelector;
    readonly approval: "Automatic" | "Manual" | "ManualAfterFirst";
    /** The digests of the plans that may be carried out. */
    readonly approved?: readonly string[];
    /** When new revisions may begin: a schedule in UTC, and for how long. */
    readonly window?: { readonly cron: string; readonly duration: string };
    readonly rights: "ClusterAdmin" | "Derived";
    readonly onFailure?: { readonly action: "Hold" | "RollBack"; readonly after?: string };
    readonly health?: { readonly probes?: readonly ProgressionProbe[]; readonly soak?: string };
    readonly removal: "Delete" | "KeepDefinitions" | "RefuseIfInUse";
    readonly stored: "Ignore" | "Check" | "Migrate";
    readonly trust?: {
      readonly keys?: readonly string[];
      readonly identities?: readonly { readonly issuer: string; readonly subject: string }[];
      readonly sbom?: "Ignore" | "Require";
    };
    readonly source?: { readonly type: "Image" | "Folder"; readonly image?: string; readonly folder?: string };
    readonly dependencies: "Refuse" | "Require" | "Install";
    readonly certificates: "CertManager" | "Pintle";
  };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly extensions?: readonly string[] };
}

/** A bundle of a plan. */
export interface PlannedBundle {
  readonly name: string;
  readonly version: string;
  readonly image?: string;
  /** The number of the revision that has it. */
  readonly revision?: number;
}

/** An object of a plan. */
export interface PlannedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The fields that differ; none for objects that are created or removed. */
  readonly fields?: readonly string[];
}

/** A permission in RBAC: one verb on one resource. */
export interface PlannedRight {
  /** Empty: in all namespaces. */
  readonly namespace?: string;
  readonly verb: string;
  /** `resource.group`, or the path of a non-resource URL. */
  readonly resource: string;
  /** Empty: all objects. */
  readonly name?: string;
}

/** A change of a CRD. */
export interface PlannedDefinition {
  /** The name of the CustomResourceDefinition. */
  readonly name: string;
  /** Breaking: it would be refused, unless the check is switched off. Warning: some clients or objects could notice. */
  readonly severity: "Breaking" | "Warning";
  /** What changes, and where in the schema. */
  readonly message: string;
}

/** An image of a plan. */
export interface PlannedImage {
  readonly image: string;
  /** Unchecked: no policy says what to trust, or the registry was not reached. */
  readonly signature: "Signed" | "Unsigned" | "Unchecked";
  readonly message?: string;
}

/** The changes that a new revision would make. Written by the manager, owned by the extension. */
export interface ExtensionPlan extends StoredObject {
  readonly spec: {
    readonly extension: string;
    /** The installed bundle; empty for a first installation. */
    readonly from?: PlannedBundle;
    readonly to: PlannedBundle;
    /** The digest to approve: of the objects, their changes and the RBAC rules. */
    readonly digest: string;
  };
  readonly status?: ExtensionPlanStatus;
}

/** The content of a plan. */
export interface ExtensionPlanStatus {
  readonly create?: readonly PlannedObject[];
  readonly change?: readonly PlannedObject[];
  readonly remove?: readonly PlannedObject[];
  readonly rightsAdded?: readonly PlannedRight[];
  readonly rightsRemoved?: readonly PlannedRight[];
  readonly definitions?: readonly PlannedDefinition[];
  /** Stored objects that the new CRDs would reject. */
  readonly refused?: readonly (PlannedObject & { readonly message: string })[];
  readonly restarts?: readonly PlannedObject[];
  readonly images?: readonly PlannedImage[];
  readonly computedAt?: string;
  /** The resourceVersions of the objects that the plan was computed from. */
  readonly computedFrom?: readonly { readonly object: string; readonly resourceVersion: string }[];
}

/** Conditions that an operator reports about itself, as in OLM v0. */
export interface OperatorCondition extends StoredObject {
  readonly spec?: { readonly conditions?: readonly Condition[]; readonly overrides?: readonly Condition[] };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/**
 * The kind of policies.
 *
 * @example
 * ```ts
 * import { ExtensionPolicyKind } from "@pintle/lifecycle/manager";
 * import { connect } from "pintle/client";
 *
 * const client = await connect();
 * await client.create(ExtensionPolicyKind, { metadata: { name: "caches" }, spec: { extensionName: "memcached", approval: "Manual" } });
 * ```
 */
export const ExtensionPolicyKind: Kind<"lifecycle.pintle.dev/v1alpha1/ExtensionPolicy", ExtensionPolicy, ObjectToWrite, "Cluster"> =
  defineUntypedKind({
    group: "lifecycle.pintle.dev",
    version: "v1alpha1",
    kind: "ExtensionPolicy",
    plural: "extensionpolicies",
    scope: "Cluster",
    subresources: ["status"],
  } as const) as never;

/**
 * The kind of plans.
 *
 * @example
 * ```ts
 * import { ExtensionPlanKind } from "@pintle/lifecycle/manager";
 * import { connect } from "pintle/client";
 *
 * const client = await connect();
 * for (const { metadata, spec } of (await client.list(ExtensionPlanKind)).items) console.log(metadata.name, spec.digest);
 * ```
 */
export const ExtensionPlanKind: Kind<"lifecycle.pintle.dev/v1alpha1/ExtensionPlan", ExtensionPlan, ObjectToWrite, "Cluster"> =
  defineUntypedKind({
    group: "lifecycle.pintle.dev",
    version: "v1alpha1",
    kind: "ExtensionPlan",
    plural: "extensionplans",
    scope: "Cluster",
    subresources: ["status"],
  } as const) as never;

/**
 * The kind OperatorCondition. One object exists for each extension with a policy, in its namespace and under its name.
 *
 * @example
 * ```ts
 * import { OperatorConditionKind } from "@pintle/lifecycle/manager";
 * import { connect } from "pintle/client";
 *
 * const client = await connect();
 * const { spec } = await client.get(OperatorConditionKind, { namespace: "memcached-system", name: "memcached" });
 * console.log(spec?.conditions?.find(({ type }) => type === "Upgradeable")?.status);
 * ```
 */
export const OperatorConditionKind: Kind<
  "operators.coreos.com/v2/OperatorCondition",
  OperatorCondition,
  ObjectToWrite & { readonly metadata: { readonly namespace: string } },
  "Namespaced"
> = defineUntypedKind({
  group: "operators.coreos.com",
  version: "v2",
  kind: "OperatorCondition",
  plural: "operatorconditions",
  scope: "Namespaced",
  subresources: ["status"],
} as const) as never;

/** The fields of a policy that the CRD fills in. */
export type PolicySpec = ExtensionPolicy["spec"];
