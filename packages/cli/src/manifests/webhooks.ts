import {
  buildWebhookConfigurations,
  certificatePolicyRules,
  SERVICE_PORT,
  serviceHosts,
  WEBHOOK_PORT,
  webhookNames,
} from "pintle/internal/webhook";
import type { JsonObject } from "pintle/kinds";
import { buildServiceEndpoint } from "../project/index.ts";
import { type ManifestContext, managerSelector, objectMetadata } from "./context.ts";
import type { Manifest } from "./manifest.ts";

/** Settings of the manager pod for serving webhooks. */
export interface WebhookPodSettings {
  readonly args: readonly string[];
  readonly ports: readonly JsonObject[];
  readonly mounts: readonly JsonObject[];
  readonly volumes: readonly JsonObject[];
}

const CERTIFICATES_MOUNT = "/var/run/webhook-certificates";
const CERTIFICATES_VOLUME = "webhook-certificates";
const CERTIFICATE_NAME = "webhook-serving-certificate";
const ISSUER_NAME = "webhook-issuer";

/** Reports whether the operator serves admission or conversion webhooks. */
export function hasWebhooks({ operator: { webhooks } }: ManifestContext): boolean {
  return webhooks.webhooks.length > 0 || webhooks.conversions.length > 0;
}

/** Returns the webhook Service, the webhook configurations and the objects that provide certificates. */
export function buildWebhookManifests(context: ManifestContext): readonly Manifest[] {
  if (!hasWebhooks(context)) return [];
  const { project, operator } = context;
  const names = webhookNames(project.name);
  const { labels } = objectMetadata(context, "");
  const configurations = buildWebhookConfigurations(operator.webhooks.webhooks, {
    names,
    endpoint: buildServiceEndpoint(project),
    namespace: project.namespace,
    labels,
    annotations: caInjectionAnnotations(context),
  });
  return [
    { folder: "webhook", file: "service.yaml", object: webhookService(context) },
    ...(certificateSource(context) === "pintle"
      ? [{ folder: "webhook" as const, file: "certificates.yaml", object: certificateSecret(context, names.secret) }]
      : []),
    ...configurations.map((object): Manifest => ({ folder: "webhook", file: "manifests.yaml", object })),
    ...(certificateSource(context) === "cert-manager" ? certManagerManifests(context) : []),
    { folder: "network-policy", file: "allow_webhook_traffic.yaml", object: networkPolicy(context) },
  ];
}

/** Returns the CRD with the annotation by which cert-manager injects the CA for its conversion webhook. */
export function withCaInjection(context: ManifestContext, crd: JsonObject): JsonObject {
  const meta = crd["metadata"] as JsonObject & { readonly name: string; readonly annotations?: JsonObject };
  const annotations = caInjectionAnnotations(context);
  if (annotations === undefined || !context.operator.webhooks.conversions.includes(meta.name)) return crd;
  return { ...crd, metadata: { ...meta, annotations: { ...meta.annotations, ...annotations } } };
}

/** Returns the RBAC rules for issuing certificates. If certificates come from elsewhere, only reading CRDs is allowed. */
export function certificateRules(context: ManifestContext): {
  readonly role: readonly JsonObject[];
  readonly clusterRole: readonly JsonObject[];
} {
  if (!hasWebhooks(context)) return { role: [], clusterRole: [] };
  const { project, operator } = context;
  if (certificateSource(context) === "pintle") return certificatePolicyRules(operator.webhooks, webhookNames(project.name)) as never;
  const { conversions } = operator.webhooks;
  const read = {
    apiGroups: ["apiextensions.k8s.io"],
    resources: ["customresourcedefinitions"],
    resourceNames: conversions,
    verbs: ["get"],
  };
  return { role: [], clusterRole: conversions.length === 0 ? [] : [read] };
}

export function buildWebhookPodSettings(context: ManifestContext): WebhookPodSettings {
  if (!hasWebhooks(context)) return { args: [], ports: [], mounts: [], volumes: [] };
  const { project } = context;
  const ports = [{ name: "webhook", containerPort: WEBHOOK_PORT, protocol: "TCP" }];
  const address = `--webhook-bind-address=:${WEBHOOK_PORT}`;
  if (certificateSource(context) === "pintle") return { args: [address, `--webhook-name=${project.name}`], ports, mounts: [], volumes: [] };
  return {
    args: [address, `--webhook-cert-path=${CERTIFICATES_MOUNT}`],
    ports,
    mounts: [{ name: CERTIFICATES_VOLUME, mountPath: CERTIFICATES_MOUNT, readOnly: true }],
    volumes: [{ name: CERTIFICATES_VOLUME, secret: { secretName: secretName(context) } }],
  };
}

function certificateSource({ project }: ManifestContext): "pintle" | "cert-manager" | "secret" {
  const { webhookCertificates = "pintle" } = project.config;
  return typeof webhookCertificates === "string" ? webhookCertificates : "secret";
}

function secretName({ project }: ManifestContext): string {
  const { webhookCertificates } = project.config;
  return typeof webhookCertificates === "object" ? webhookCertificates.secret : webhookNames(project.name).secret;
}

function caInjectionAnnotations(context: ManifestContext): Readonly<Record<string, string>> | undefined {
  if (certificateSource(context) !== "cert-manager") return undefined;
  return { "cert-manager.io/inject-ca-from": `${context.project.namespace}/${objectMetadata(context, CERTIFICATE_NAME).name}` };
}

function webhookService(context: ManifestContext): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: objectMetadata(context, "webhook-service", { namespaced: true }),
    spec: { ports: [{ port: SERVICE_PORT, protocol: "TCP", targetPort: "webhook" }], selector: managerSelector(context) },
  };
}

/** Created empty, so that the operator can fill it without permission to create Secrets. */
export function certificateSecret(context: ManifestContext, name: string): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...objectMetadata(context, "", { namespaced: true }), name },
    type: "Opaque",
  };
}

function certManagerManifests(context: ManifestContext): readonly Manifest[] {
  const API = "cert-manager.io/v1";
  const { service, secret } = webhookNames(context.project.name);
  const { namespace } = context.project;
  const issuer = objectMetadata(context, ISSUER_NAME, { namespaced: true });
  return [
    {
      folder: "certmanager",
      file: "issuer.yaml",
      object: { apiVersion: API, kind: "Issuer", metadata: issuer, spec: { selfSigned: {} } },
    },
    {
      folder: "certmanager",
      file: "certificate.yaml",
      object: {
        apiVersion: API,
        kind: "Certificate",
        metadata: objectMetadata(context, CERTIFICATE_NAME, { namespaced: true }),
        spec: {
          dnsNames: serviceHosts(service, namespace),
          issuerRef: { kind: "Issuer", name: issuer.name },
          privateKey: { rotationPolicy: "Always" },
          secretName: secret,
        },
      },
    },
  ];
}

/** API servers call from addresses that no namespace selector matches. */
function networkPolicy(context: ManifestContext): JsonObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: objectMetadata(context, "allow-webhook-traffic", { namespaced: true }),
    spec: {
      podSelector: { matchLabels: managerSelector(context) },
      policyTypes: ["Ingress"],
      ingress: [{ ports: [{ port: WEBHOOK_PORT, protocol: "TCP" }] }],
    },
  };
}
