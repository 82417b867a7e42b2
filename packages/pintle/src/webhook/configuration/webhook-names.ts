import type { KindInfo } from "../../kinds/index.ts";

/** Returns the names of the objects that belong to the webhooks of one operator, from the prefix of its objects. */
export function webhookNames(prefix: string) {
  return {
    service: `${prefix}-webhook-service`,
    secret: `${prefix}-webhook-certificates`,
    mutating: `${prefix}-mutating-webhook-configuration`,
    validating: `${prefix}-validating-webhook-configuration`,
  };
}
/** The names of the objects that belong to the webhooks of one operator. */
export type WebhookNames = ReturnType<typeof webhookNames>;

/** Returns the names of the objects that belong to the metrics endpoint of one operator, from the prefix of its objects. */
export function metricsNames(prefix: string) {
  return { service: `${prefix}-controller-manager-metrics-service`, secret: `${prefix}-metrics-certificates` };
}

/** Returns the DNS names of a Service, the first of them as API servers and Prometheus call it. */
export function serviceHosts(service: string, namespace: string): readonly [string, string] {
  return [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`];
}

/** The two phases of admission; a webhook with `default` and `validate` has both. */
export type AdmissionPhase = "mutate" | "validate";

type WebhookIdentity = { readonly kind: Pick<KindInfo, "group" | "version" | "kind">; readonly name: string | undefined };

/** Returns the path of a webhook as controller-runtime builds it, "/validate-cache-example-com-v1-memcached", followed by its name if any. */
export function webhookPath(phase: AdmissionPhase, { kind, name }: WebhookIdentity): string {
  const group = kind.group.replaceAll(".", "-");
  return `/${phase}-${group}-${kind.version}-${kind.kind.toLowerCase()}${name === undefined ? "" : `/${name}`}`;
}

/**
 * Returns the name of a webhook, "validate.memcached.v1.cache.example.com", which users see when it denies a request. It has at least three
 * labels, as the API server requires.
 */
export function webhookName(phase: AdmissionPhase, { kind, name }: WebhookIdentity): string {
  const group = kind.group === "" ? "core" : kind.group;
  return [...(name === undefined ? [] : [name]), phase, kind.kind.toLowerCase(), kind.version, group].join(".");
}

/** The path of the conversion webhook. */
export const CONVERT_PATH = "/convert";
/** The port of the Service. */
export const SERVICE_PORT = 443;
/** The port on which the operator listens. */
export const WEBHOOK_PORT = 9443;

/** Whether the group is built into the API server, so that the control plane depends on it. */
export function isBuiltInGroup({ group }: Pick<KindInfo, "group">): boolean {
  return /^[a-z]*$|\.k8s\.io$/.test(group);
}
