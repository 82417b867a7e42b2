import type { JsonObject } from "pintle/kinds";
import { certificatePermissions, SERVICE_PORT, WEBHOOK_PORT, webhookConfigurations, webhookNames } from "pintle/webhook";
import { serviceOf } from "../project/index.ts";
import { type Context, metadata, selector } from "./context.ts";
import type { Manifest } from "./manifest.ts";

/** What the manager's pod needs to serve webhooks. */
export interface WebhookServing {
  readonly args: readonly string[];
  readonly ports: readonly JsonObject[];
  readonly mounts: readonly JsonObject[];
  readonly volumes: readonly JsonObject[];
}

const CERTIFICATES = "/var/run/webhook-certificates";
const VOLUME = "webhook-certificates";
const CERTIFICATE = "webhook-serving-certificate";
const ISSUER = "webhook-issuer";

/** Whether the operator has anything that an API server asks. */
export function hasWebhooks({ operator: { webhooks } }: Context): boolean {
  return webhooks.webhooks.length > 0 || webhooks.conversions.length > 0;
}

/** The Service that API servers ask, what they are told to ask, and where certificates come from. */
export function webhooks(context: Context): readonly Manifest[] {
  if (!hasWebhooks(context)) return [];
  const { project, operator } = context;
  const names = webhookNames(project.name);
  const { labels } = metadata(context, "");
  const configurations = webhookConfigurations(operator.webhooks.webhooks, {
    names,
    endpoint: serviceOf(project),
    namespace: project.namespace,
    labels,
    annotations: injected(context),
  });
  return [
    { part: "webhook", file: "service.yaml", object: service(context) },
    ...(sourceOf(context) === "pintle" ? [{ part: "webhook" as const, file: "certificates.yaml", object: secret(context) }] : []),
    ...configurations.map((object): Manifest => ({ part: "webhook", file: "manifests.yaml", object })),
    ...(sourceOf(context) === "cert-manager" ? certManager(context) : []),
    { part: "network-policy", file: "allow_webhook_traffic.yaml", object: networkPolicy(context) },
  ];
}

/** A definition whose conversion needs an authority that cert-manager knows. */
export function annotated(context: Context, crd: JsonObject): JsonObject {
  const meta = crd["metadata"] as JsonObject & { readonly name: string; readonly annotations?: JsonObject };
  const annotations = injected(context);
  if (annotations === undefined || !context.operator.webhooks.conversions.includes(meta.name)) return crd;
  return { ...crd, metadata: { ...meta, annotations: { ...meta.annotations, ...annotations } } };
}

/** What issuing certificates takes, beyond what the controllers do; with certificates from elsewhere, only reading definitions. */
export function certificateRules(context: Context): { readonly home: readonly JsonObject[]; readonly cluster: readonly JsonObject[] } {
  if (!hasWebhooks(context)) return { home: [], cluster: [] };
  const { project, operator } = context;
  if (sourceOf(context) === "pintle") return certificatePermissions(operator.webhooks, webhookNames(project.name)) as never;
  const { conversions } = operator.webhooks;
  const read = {
    apiGroups: ["apiextensions.k8s.io"],
    resources: ["customresourcedefinitions"],
    resourceNames: conversions,
    verbs: ["get"],
  };
  return { home: [], cluster: conversions.length === 0 ? [] : [read] };
}

export function serving(context: Context): WebhookServing {
  if (!hasWebhooks(context)) return { args: [], ports: [], mounts: [], volumes: [] };
  const { project } = context;
  const ports = [{ name: "webhook", containerPort: WEBHOOK_PORT, protocol: "TCP" }];
  const address = `--webhook-bind-address=:${WEBHOOK_PORT}`;
  if (sourceOf(context) === "pintle") return { args: [address, `--webhook-name=${project.name}`], ports, mounts: [], volumes: [] };
  return {
    args: [address, `--webhook-cert-path=${CERTIFICATES}`],
    ports,
    mounts: [{ name: VOLUME, mountPath: CERTIFICATES, readOnly: true }],
    volumes: [{ name: VOLUME, secret: { secretName: secretName(context) } }],
  };
}

function sourceOf({ project }: Context): "pintle" | "cert-manager" | "secret" {
  const { webhookCertificates = "pintle" } = project.config;
  return typeof webhookCertificates === "string" ? webhookCertificates : "secret";
}

function secretName({ project }: Context): string {
  const { webhookCertificates } = project.config;
  return typeof webhookCertificates === "object" ? webhookCertificates.secret : webhookNames(project.name).secret;
}

function injected(context: Context): Readonly<Record<string, string>> | undefined {
  if (sourceOf(context) !== "cert-manager") return undefined;
  return { "cert-manager.io/inject-ca-from": `${context.project.namespace}/${metadata(context, CERTIFICATE).name}` };
}

function service(context: Context): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(context, "webhook-service", { namespaced: true }),
    spec: { ports: [{ port: SERVICE_PORT, protocol: "TCP", targetPort: "webhook" }], selector: selector(context) },
  };
}

/** Empty: the operator fills it, and needs no right to make Secrets. */
function secret(context: Context): JsonObject {
  return { apiVersion: "v1", kind: "Secret", metadata: metadata(context, "webhook-certificates", { namespaced: true }), type: "Opaque" };
}

function certManager(context: Context): readonly Manifest[] {
  const API = "cert-manager.io/v1";
  const { service, secret } = webhookNames(context.project.name);
  const { namespace } = context.project;
  const issuer = metadata(context, ISSUER, { namespaced: true });
  return [
    {
      part: "certmanager",
      file: "issuer.yaml",
      object: { apiVersion: API, kind: "Issuer", metadata: issuer, spec: { selfSigned: {} } },
    },
    {
      part: "certmanager",
      file: "certificate.yaml",
      object: {
        apiVersion: API,
        kind: "Certificate",
        metadata: metadata(context, CERTIFICATE, { namespaced: true }),
        spec: {
          dnsNames: [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`],
          issuerRef: { kind: "Issuer", name: issuer.name },
          privateKey: { rotationPolicy: "Always" },
          secretName: secret,
        },
      },
    },
  ];
}

/** API servers ask from addresses that no namespace has. */
function networkPolicy(context: Context): JsonObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: metadata(context, "allow-webhook-traffic", { namespaced: true }),
    spec: {
      podSelector: { matchLabels: selector(context) },
      policyTypes: ["Ingress"],
      ingress: [{ ports: [{ port: WEBHOOK_PORT, protocol: "TCP" }] }],
    },
  };
}
