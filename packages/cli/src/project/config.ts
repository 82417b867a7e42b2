import type { JsonObject } from "pintle/kinds";

/**
 * `pintle.config.ts`, all of it optional: what the manifests of an operator say. Everything else follows from the code.
 *
 * ```ts
 * import type { Config } from "@pintle/cli";
 * export default { namespaces: ["shop"], replicas: 2 } satisfies Config;
 * ```
 */
export interface Config {
  /** What the API groups of new resources end in: "shop.example.com". */
  readonly domain?: string | undefined;
  /** Prefix of every object's name. Default: the name in package.json, without its scope. */
  readonly name?: string | undefined;
  /** The file that calls `run()`. Default: "src/main.ts". */
  readonly entry?: string | undefined;
  /** Where the operator runs. Default: "<name>-system". */
  readonly namespace?: string | undefined;
  /** Default: "<name>:<version of package.json>". */
  readonly image?: string | undefined;
  /** Secrets in the operator's namespace to pull the image with. */
  readonly imagePullSecrets?: readonly string[] | undefined;
  /** Which namespaces it works in: "all" (default), "own", or a list. Sets what is watched and what is allowed, together. */
  readonly namespaces?: "all" | "own" | readonly string[] | undefined;
  /** Default: 1. More than one share the work of being ready; one of them leads. */
  readonly replicas?: number | undefined;
  /** Of the manager's container. Default: 50m and 96Mi asked for, at most 192Mi. */
  readonly resources?: Resources | undefined;
  /** More environment of the manager's container. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** A ServiceMonitor for the Prometheus operator in config/default. Default: false. */
  readonly prometheus?: boolean | undefined;
  /** Only namespaces labelled `metrics: enabled` reach the metrics. Default: false. */
  readonly networkPolicy?: boolean | undefined;
  /**
   * Where the certificate of webhooks comes from: "pintle" (default) issues and renews it in a Secret of its own, "cert-manager"
   * does what its name says, and a Secret of type kubernetes.io/tls is mounted as it is; caBundle is then yours to set.
   */
  readonly webhookCertificates?: "pintle" | "cert-manager" | { readonly secret: string } | undefined;
  /** The last word on every object, before it is written: the object to write instead, or undefined to leave it out. */
  readonly overlay?: ((object: JsonObject) => JsonObject | undefined) | undefined;
}

export interface Resources {
  readonly requests?: Readonly<Record<string, string>> | undefined;
  readonly limits?: Readonly<Record<string, string>> | undefined;
}
