import type { JsonObject } from "pintle/kinds";
import type { Affinity, Toleration, TopologySpreadConstraint } from "pintle/kinds/core/v1";

/**
 * The default export of `pintle.config.ts`: settings of the generated manifests that do not follow from the code. Every field is optional.
 *
 * @example
 * ```ts
 * import type { Config } from "@pintle/cli";
 *
 * export default { namespaces: ["shop"], replicas: 2 } satisfies Config;
 * ```
 */
export interface Config {
  /** Suffix of the API groups of new resources: "shop.example.com". Default: "<name>.example.com". */
  readonly domain?: string | undefined;
  /** Prefix of all object names. Default: the name in package.json, without its scope. */
  readonly name?: string | undefined;
  /** The file that calls `run()`. Default: "src/main.ts". */
  readonly entry?: string | undefined;
  /** Namespace of the operator. Default: "<name>-system". */
  readonly namespace?: string | undefined;
  /** Image of the operator. Default: "<name>:<version of package.json>". */
  readonly image?: string | undefined;
  /** Secrets in the operator's namespace for pulling the image. Default: none. */
  readonly imagePullSecrets?: readonly string[] | undefined;
  /** Namespaces to watch: "all", "own", or a list. Configures both the watches and the RBAC rules. Default: "all". */
  readonly namespaces?: "all" | "own" | readonly string[] | undefined;
  /** Number of manager pods. With more than one, leader election picks the active pod. Default: 1. */
  readonly replicas?: number | undefined;
  /** Resources of the manager container. Default: requests of 50m CPU and 96Mi memory, a memory limit of 192Mi. */
  readonly resources?: ContainerResources | undefined;
  /** Additional environment variables of the manager container: values, or keys of Secrets and ConfigMaps. Default: none. */
  readonly env?: Readonly<Record<string, EnvironmentValue>> | undefined;
  /** Secrets and ConfigMaps whose keys all become environment variables. Default: none. */
  readonly envFrom?: readonly EnvironmentSource[] | undefined;
  /** Additional command-line arguments of the operator. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Volumes of the pod by name, mounted in the manager container. Default: none. */
  readonly volumes?: Readonly<Record<string, Volume>> | undefined;
  /** Timing of the probes; their paths are fixed. Default: liveness every 20 s after 15 s, readiness every 10 s after 2 s, no startup probe. */
  readonly probes?:
    | {
        readonly liveness?: ProbeSettings | undefined;
        readonly readiness?: ProbeSettings | undefined;
        readonly startup?: ProbeSettings | undefined;
      }
    | undefined;
  /** Labels of the nodes that may run the manager. Default: any node. */
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  /** Taints that the manager pods tolerate. Default: none. */
  readonly tolerations?: readonly Toleration[] | undefined;
  /** Affinity of the manager pods. Default: none. */
  readonly affinity?: Affinity | undefined;
  /** PriorityClass of the manager pods: "system-cluster-critical". Default: none. */
  readonly priorityClassName?: string | undefined;
  /**
   * How replicas are spread; constraints without a labelSelector select the manager pods. "default": with more than one replica, over nodes and
   * zones where possible. Default: "default".
   */
  readonly topologySpread?: "default" | false | readonly TopologySpreadConstraint[] | undefined;
  /** PodDisruptionBudget of the manager pods; true allows one unavailable pod. Default: true with more than one replica, else false. */
  readonly podDisruptionBudget?:
    | boolean
    | { readonly minAvailable: number | string }
    | { readonly maxUnavailable: number | string }
    | undefined;
  /** Includes a ServiceMonitor for the Prometheus operator in config/default. Default: false. */
  readonly prometheus?: boolean | undefined;
  /**
   * NetworkPolicies of the manager pods. Ingress: webhooks from anywhere, metrics from namespaces labelled `metrics: enabled`. Egress: DNS and the
   * ports of API servers; an operator that connects to something else adds rules of a NetworkPolicy, or "all". Default: true.
   */
  readonly networkPolicy?: boolean | { readonly egress: "all" | readonly JsonObject[] } | undefined;
  /**
   * Aggregates the admin, editor and viewer roles of namespaced kinds to the built-in `admin`, `edit` and `view`, so that everyone with these roles
   * gets access to the custom resources. Default: false.
   */
  readonly aggregateUserRoles?: boolean | undefined;
  /**
   * Source of the webhook serving certificate. "pintle" (default) issues and renews it in a Secret, "cert-manager" uses a Certificate, and
   * `secret` names a Secret of type kubernetes.io/tls that is mounted; in that case you set the caBundle.
   */
  readonly webhookCertificates?: "pintle" | "cert-manager" | { readonly secret: string } | undefined;
  /** What catalogs show of the operator, and which versions it upgrades: `pintle bundle`. Default: taken from package.json. */
  readonly olm?: OlmConfig | undefined;
  /** Transforms every object before it is written; undefined drops the object. Default: none. */
  readonly overlay?: ((object: JsonObject) => JsonObject | undefined) | undefined;
}

/** How Operator Lifecycle Manager presents and upgrades the operator. Every field is optional. */
export interface OlmConfig {
  /** Name of the package in catalogs. Default: the name of the project. */
  readonly package?: string | undefined;
  /** Name for users. Default: the name of the project in words. */
  readonly displayName?: string | undefined;
  /** Markdown. Default: the description in package.json. */
  readonly description?: string | undefined;
  /** File with an SVG, PNG, JPEG or GIF image. Default: the first letter of the name on a square. */
  readonly icon?: string | undefined;
  /** Who publishes the operator. Default: the author in package.json. */
  readonly provider?: { readonly name: string; readonly url?: string | undefined } | undefined;
  /** Who maintains the operator. Default: the author in package.json, if it has an e-mail address. */
  readonly maintainers?: readonly { readonly name: string; readonly email: string }[] | undefined;
  /** Pages about the operator. Default: the homepage in package.json. */
  readonly links?: readonly { readonly name: string; readonly url: string }[] | undefined;
  /** Words to find the operator. Default: the keywords in package.json. */
  readonly keywords?: readonly string[] | undefined;
  /** Categories of operatorhub.io: "Database". Default: none. */
  readonly categories?: readonly string[] | undefined;
  /** Default: "alpha" before version 1, else "stable". */
  readonly maturity?: string | undefined;
  /** Capability level of the operator framework. Default: "Basic Install". */
  readonly capabilities?: "Basic Install" | "Seamless Upgrades" | "Full Lifecycle" | "Deep Insights" | "Auto Pilot" | undefined;
  /** The oldest Kubernetes that the operator runs on. Default: "1.33.0". */
  readonly minKubeVersion?: string | undefined;
  /** Channels of this version; the first is the default channel. Default: ["candidate"] before version 1, else ["stable"]. */
  readonly channels?: readonly string[] | undefined;
  /** The version that this one replaces: "1.0.0". Default: none. */
  readonly replaces?: string | undefined;
  /** Versions that are skipped on the way to this one: ["1.0.1"]. Default: none. */
  readonly skips?: readonly string[] | undefined;
  /** Versions that can be upgraded to this one at once: ">=1.0.0 <1.2.0". Default: none. */
  readonly skipRange?: string | undefined;
  /** Images that the operator itself starts, by name, for copies of the catalog. Default: none. */
  readonly relatedImages?: Readonly<Record<string, string>> | undefined;
}

/** The value of an environment variable: text, a key of a Secret or ConfigMap in the operator's namespace, or a field of the pod. */
export type EnvironmentValue =
  | string
  | { readonly secret: string; readonly key: string; readonly optional?: boolean | undefined }
  | { readonly configMap: string; readonly key: string; readonly optional?: boolean | undefined }
  /** "status.podIP" */
  | { readonly field: string };

/** A Secret or ConfigMap in the operator's namespace, all of whose keys become environment variables. */
export type EnvironmentSource = ({ readonly secret: string } | { readonly configMap: string }) & {
  /** Prefix of the names of the variables. Default: none. */
  readonly prefix?: string | undefined;
  /** Whether the pod starts without the object. Default: false. */
  readonly optional?: boolean | undefined;
};

/** A volume and where it is mounted. `source` is any other volume source, as in a pod: `{ projected: { ... } }`. */
export type Volume = (
  | { readonly secret: string }
  | { readonly configMap: string }
  | { readonly persistentVolumeClaim: string }
  | { readonly emptyDir: { readonly medium?: string | undefined; readonly sizeLimit?: string | undefined } }
  | { readonly source: JsonObject }
) & {
  /** An absolute path in the container. */
  readonly mountPath: string;
  /** A path in the volume. Default: the whole volume. */
  readonly subPath?: string | undefined;
  /** Default: true for Secrets and ConfigMaps, else false. */
  readonly readOnly?: boolean | undefined;
};

/** Timing of a probe. */
export interface ProbeSettings {
  readonly initialDelaySeconds?: number | undefined;
  readonly periodSeconds?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly failureThreshold?: number | undefined;
}

export interface ContainerResources {
  readonly requests?: Readonly<Record<string, string>> | undefined;
  readonly limits?: Readonly<Record<string, string>> | undefined;
}
