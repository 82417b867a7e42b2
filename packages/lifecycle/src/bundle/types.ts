import type { JsonObject } from "pintle/internal/json";

/** A registry+v1 bundle: one version of an operator, as OLM v1 reads it. Unknown fields of the CSV and of the CRDs are gone. */
export interface RegistryBundle {
  readonly packageName: string;
  readonly csv: ClusterServiceVersion;
  readonly crds: readonly NamedObject[];
  /** Every other object, as it is in the bundle. */
  readonly others: readonly NamedObject[];
}

/** An object of Kubernetes. */
export type NamedObject = JsonObject & {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly annotations?: Readonly<Record<string, string>> };
};

/** The fields of a ClusterServiceVersion that are read here. */
export interface ClusterServiceVersion {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly version?: string;
    readonly install?: { readonly strategy?: string; readonly spec?: InstallStrategy };
    readonly installModes?: readonly InstallMode[];
    readonly customresourcedefinitions?: { readonly owned?: readonly OwnedDefinition[]; readonly required?: readonly OwnedDefinition[] };
    readonly webhookdefinitions?: readonly WebhookDefinition[];
  };
}

/** What OLM installs for an operator. */
export interface InstallStrategy {
  readonly deployments?: readonly {
    readonly name?: string;
    readonly spec?: JsonObject;
    readonly label?: Readonly<Record<string, string>>;
  }[];
  readonly permissions?: readonly StrategyPermissions[];
  readonly clusterPermissions?: readonly StrategyPermissions[];
}

/** Rules of one ServiceAccount. */
export interface StrategyPermissions {
  readonly serviceAccountName?: string;
  readonly rules?: readonly JsonObject[];
}

/** Which namespaces an operator can watch: `OwnNamespace`, `SingleNamespace`, `MultiNamespace` or `AllNamespaces`. */
export interface InstallMode {
  readonly type?: string;
  readonly supported?: boolean;
}

/** A CRD that the operator provides or requires. */
export interface OwnedDefinition {
  /** The name of the CRD. Default: none. */
  readonly name?: string;
  /** The version of its API. Default: none. */
  readonly version?: string;
  /** The kind. Default: none. */
  readonly kind?: string;
}

/** A webhook that the operator serves. */
export interface WebhookDefinition {
  /** The name of the webhook configuration. Default: none. */
  readonly generateName?: string;
  /** `ValidatingAdmissionWebhook`, `MutatingAdmissionWebhook` or `ConversionWebhook`. Default: none. */
  readonly type?: string;
  /** The Deployment that serves it. Default: none. */
  readonly deploymentName?: string;
  /** The port of the Service. Default: 443. */
  readonly containerPort?: number;
  /** The port of the pod. Default: that of the Service. */
  readonly targetPort?: number | string;
  /** The path of the URL. Default: none; `/` for conversions. */
  readonly webhookPath?: string;
  /** The CRDs whose objects it converts. Default: none. */
  readonly conversionCRDs?: readonly string[];
  /** The versions of reviews that it understands. Default: none. */
  readonly admissionReviewVersions?: readonly string[];
  /** The requests that it is called for. Default: none. */
  readonly rules?: readonly (JsonObject & { readonly apiGroups?: readonly string[]; readonly resources?: readonly string[] })[];
  readonly [field: string]: unknown;
}
