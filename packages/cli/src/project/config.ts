import type { JsonObject } from "pintle/kinds";

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
  /** Additional environment variables of the manager container. Default: none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
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
  /** Transforms every object before it is written; undefined drops the object. Default: none. */
  readonly overlay?: ((object: JsonObject) => JsonObject | undefined) | undefined;
}

export interface ContainerResources {
  readonly requests?: Readonly<Record<string, string>> | undefined;
  readonly limits?: Readonly<Record<string, string>> | undefined;
}
