import type { JsonObject, LabelSelector } from "../kinds/index.ts";
import { checkPaths, type WebhookFacts } from "./facts.ts";
import { isBuiltIn, type Phase, pathOf, SERVICE_PORT, type WebhookNames, webhookName } from "./names.ts";

/** Where the API server finds the operator. */
export type Endpoint =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number | undefined } }
  /** "https://10.0.0.7:9443": paths are added to it. */
  | { readonly url: string };

export interface ConfigurationOptions {
  readonly names: Pick<WebhookNames, "mutating" | "validating">;
  readonly endpoint: Endpoint;
  /** Where the operator runs. */
  readonly namespace: string;
  /** PEM. Default: none; it is put in by whoever issues the certificates. */
  readonly authority?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

const API = "admissionregistration.k8s.io/v1";
const SYSTEM = ["kube-node-lease", "kube-system"];
const NAMESPACE_NAME = "kubernetes.io/metadata.name";

/** What the API server must be told, as objects: at most one of each kind, in the order in which webhooks were given. */
export function webhookConfigurations(webhooks: readonly WebhookFacts[], options: ConfigurationOptions): readonly JsonObject[] {
  checkPaths(webhooks);
  const { names, labels, annotations } = options;
  const metadata = (name: string) => ({ name, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) });
  const entries = (phase: Phase) =>
    webhooks.filter(({ phases }) => phases.includes(phase)).map((webhook) => entry(phase, webhook, options));
  const [mutating, validating] = [entries("mutate"), entries("validate")];
  return [
    ...(mutating.length === 0
      ? []
      : [{ apiVersion: API, kind: "MutatingWebhookConfiguration", metadata: metadata(names.mutating), webhooks: mutating }]),
    ...(validating.length === 0
      ? []
      : [{ apiVersion: API, kind: "ValidatingWebhookConfiguration", metadata: metadata(names.validating), webhooks: validating }]),
  ];
}

function entry(phase: Phase, webhook: WebhookFacts, options: ConfigurationOptions): JsonObject {
  const { kind, matching } = webhook;
  const operations = matching.operations.filter((operation) => phase === "validate" || operation !== "DELETE");
  const resources = [
    ...(matching.onlySubresources ? [] : [kind.plural]),
    ...matching.subresources.map((subresource) => `${kind.plural}/${subresource}`),
  ];
  const namespaceSelector = guarded(webhook, options.namespace);
  const { objectSelector, matchConditions } = matching;
  return {
    name: webhookName(phase, webhook),
    admissionReviewVersions: ["v1", "v1beta1"],
    clientConfig: clientConfig(options.endpoint, pathOf(phase, webhook), options.authority),
    failurePolicy: matching.failurePolicy,
    matchPolicy: matching.matchPolicy,
    ...(matchConditions.length === 0 ? {} : { matchConditions: matchConditions as unknown as readonly JsonObject[] }),
    ...(namespaceSelector === undefined ? {} : { namespaceSelector: namespaceSelector as JsonObject }),
    ...(objectSelector === undefined ? {} : { objectSelector: objectSelector as JsonObject }),
    ...(phase === "mutate" ? { reinvocationPolicy: matching.reinvocation } : {}),
    rules: [
      {
        apiGroups: [kind.group],
        apiVersions: [kind.version],
        operations,
        resources,
        scope: kind.scope === "Cluster" ? "Cluster" : "Namespaced",
      },
    ],
    sideEffects: matching.sideEffects,
    timeoutSeconds: matching.timeoutSeconds,
  };
}

/** How the server reaches one path; `authority` is PEM. */
export function clientConfig(endpoint: Endpoint, path: string, authority?: string): JsonObject {
  const caBundle = authority === undefined ? {} : { caBundle: Buffer.from(authority).toString("base64") };
  if ("url" in endpoint) return { ...caBundle, url: `${endpoint.url.replace(/\/$/, "")}${path}` };
  const { namespace, name, port = SERVICE_PORT } = endpoint.service;
  return { ...caBundle, service: { name, namespace, path, port } };
}

/** Where the cluster's own parts live, and the operator itself, must not depend on the operator being there. */
function guarded({ kind, matching }: WebhookFacts, namespace: string): LabelSelector | undefined {
  const { namespaceSelector, failurePolicy, systemNamespaces } = matching;
  const locks = failurePolicy === "Fail" && isBuiltIn(kind) && (kind.scope === "Namespaced" || kind.plural === "namespaces");
  if (!locks || systemNamespaces) return namespaceSelector;
  const values = [...new Set([...SYSTEM, namespace])].sort();
  return {
    ...namespaceSelector,
    matchExpressions: [...(namespaceSelector?.matchExpressions ?? []), { key: NAMESPACE_NAME, operator: "NotIn", values }],
  };
}
