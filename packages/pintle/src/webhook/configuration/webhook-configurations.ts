import type { JsonObject, LabelSelector } from "../../kinds/index.ts";
import { checkUniquePaths, type WebhookDescription } from "./describe-webhooks.ts";
import { type AdmissionPhase, isBuiltInGroup, SERVICE_PORT, type WebhookNames, webhookName, webhookPath } from "./webhook-names.ts";

/** How the API server connects to the operator. */
export type WebhookEndpoint =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number | undefined } }
  /** "https://10.0.0.7:9443"; the path of each webhook is appended. */
  | { readonly url: string };

/** Options of `buildWebhookConfigurations`. */
export interface WebhookConfigurationOptions {
  /** The names of the two configurations. */
  readonly names: Pick<WebhookNames, "mutating" | "validating">;
  readonly endpoint: WebhookEndpoint;
  /** The namespace of the operator. */
  readonly namespace: string;
  /** The certificate authority, PEM. Default: none; the operator or cert-manager injects it. */
  readonly caCertificate?: string | undefined;
  /** Labels of the configurations. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Annotations of the configurations. Default: none. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

const API_VERSION = "admissionregistration.k8s.io/v1";
const SYSTEM_NAMESPACES = ["kube-node-lease", "kube-system"];
const NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

/**
 * Returns the MutatingWebhookConfiguration and the ValidatingWebhookConfiguration of these webhooks, each only if it has entries. Entries
 * are in the order of the webhooks.
 */
export function buildWebhookConfigurations(
  webhooks: readonly WebhookDescription[],
  options: WebhookConfigurationOptions,
): readonly JsonObject[] {
  checkUniquePaths(webhooks);
  const { names, labels, annotations } = options;
  const metadata = (name: string) => ({ name, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) });
  const entries = (phase: AdmissionPhase) =>
    webhooks.filter(({ phases }) => phases.includes(phase)).map((webhook) => buildWebhookEntry(phase, webhook, options));
  const [mutating, validating] = [entries("mutate"), entries("validate")];
  return [
    ...(mutating.length === 0
      ? []
      : [{ apiVersion: API_VERSION, kind: "MutatingWebhookConfiguration", metadata: metadata(names.mutating), webhooks: mutating }]),
    ...(validating.length === 0
      ? []
      : [{ apiVersion: API_VERSION, kind: "ValidatingWebhookConfiguration", metadata: metadata(names.validating), webhooks: validating }]),
  ];
}

function buildWebhookEntry(phase: AdmissionPhase, webhook: WebhookDescription, options: WebhookConfigurationOptions): JsonObject {
  const { kind, registration } = webhook;
  const operations = registration.operations.filter((operation) => phase === "validate" || operation !== "DELETE");
  const resources = [
    ...(registration.onlySubresources ? [] : [kind.plural]),
    ...registration.subresources.map((subresource) => `${kind.plural}/${subresource}`),
  ];
  const namespaceSelector = excludeSystemNamespaces(webhook, options.namespace);
  const { objectSelector, matchConditions } = registration;
  return {
    name: webhookName(phase, webhook),
    admissionReviewVersions: ["v1", "v1beta1"],
    clientConfig: buildClientConfig(options.endpoint, webhookPath(phase, webhook), options.caCertificate),
    failurePolicy: registration.failurePolicy,
    matchPolicy: registration.matchPolicy,
    ...(matchConditions.length === 0 ? {} : { matchConditions: matchConditions as unknown as readonly JsonObject[] }),
    ...(namespaceSelector === undefined ? {} : { namespaceSelector: namespaceSelector as JsonObject }),
    ...(objectSelector === undefined ? {} : { objectSelector: objectSelector as JsonObject }),
    ...(phase === "mutate" ? { reinvocationPolicy: registration.reinvocation } : {}),
    rules: [
      {
        apiGroups: [kind.group],
        apiVersions: [kind.version],
        operations,
        resources,
        scope: kind.scope === "Cluster" ? "Cluster" : "Namespaced",
      },
    ],
    sideEffects: registration.sideEffects,
    timeoutSeconds: registration.timeoutSeconds,
  };
}

/** Returns the clientConfig for one path; `caCertificate` is PEM. */
export function buildClientConfig(endpoint: WebhookEndpoint, path: string, caCertificate?: string): JsonObject {
  const caBundle = caCertificate === undefined ? {} : { caBundle: Buffer.from(caCertificate).toString("base64") };
  if ("url" in endpoint) return { ...caBundle, url: `${endpoint.url.replace(/\/$/, "")}${path}` };
  const { namespace, name, port = SERVICE_PORT } = endpoint.service;
  return { ...caBundle, service: { name, namespace, path, port } };
}

/**
 * Excludes the system namespaces and the operator's namespace if a failing webhook could lock them: the control plane and the operator
 * must be able to start while the webhook is down.
 */
function excludeSystemNamespaces({ kind, registration }: WebhookDescription, namespace: string): LabelSelector | undefined {
  const { namespaceSelector, failurePolicy, systemNamespaces } = registration;
  const locks = failurePolicy === "Fail" && isBuiltInGroup(kind) && (kind.scope === "Namespaced" || kind.plural === "namespaces");
  if (!locks || systemNamespaces) return namespaceSelector;
  const values = [...new Set([...SYSTEM_NAMESPACES, namespace])].sort();
  return {
    ...namespaceSelector,
    matchExpressions: [...(namespaceSelector?.matchExpressions ?? []), { key: NAMESPACE_NAME_LABEL, operator: "NotIn", values }],
  };
}
