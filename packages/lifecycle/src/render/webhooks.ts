import type { JsonObject } from "pintle/internal/json";
import type { RegistryBundle, WebhookDefinition } from "../bundle/index.ts";
import { injectCaBundle, namesFor, requestServingCertificate } from "./certificates.ts";
import { createObject, type RenderContext } from "./render-bundle.ts";

const COPIED_FIELDS = [
  ...["rules", "failurePolicy", "matchPolicy", "objectSelector", "sideEffects", "timeoutSeconds", "admissionReviewVersions"],
  "reinvocationPolicy",
];

/** One configuration per webhook of this type. */
export function renderWebhookConfigurations(
  { csv }: RegistryBundle,
  context: RenderContext,
  type: "ValidatingAdmissionWebhook" | "MutatingAdmissionWebhook",
): JsonObject[] {
  const kind = type === "ValidatingAdmissionWebhook" ? "ValidatingWebhookConfiguration" : "MutatingWebhookConfiguration";
  const webhooks = (csv.spec?.webhookdefinitions ?? []).filter((webhook) => webhook.type === type);
  return webhooks.map((webhook) => {
    const names = namesFor(webhook.deploymentName ?? "");
    const name = (webhook.generateName ?? "").replace(/-$/, "");
    const configuration = createObject(`admissionregistration/v1.${kind}`, kind, "admissionregistration.k8s.io/v1", {
      metadata: { namespace: context.namespace, name },
      webhooks: [
        {
          name,
          ...Object.fromEntries(COPIED_FIELDS.filter((field) => webhook[field] !== undefined).map((field) => [field, webhook[field]])),
          clientConfig: { service: createServiceReference(webhook, names.service, context) },
          ...createNamespaceSelector(context),
        },
      ],
    } as JsonObject);
    return injectCaBundle(configuration, names, context);
  });
}

function createServiceReference(
  { webhookPath, containerPort = 0 }: WebhookDefinition,
  name: string,
  { namespace }: RenderContext,
): JsonObject {
  return { namespace, name, ...(webhookPath === undefined ? {} : { path: webhookPath }), port: containerPort };
}

function createNamespaceSelector({ targetNamespaces }: RenderContext): JsonObject {
  if (targetNamespaces.length === 0 || targetNamespaces.includes("")) return {};
  return { namespaceSelector: { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: targetNamespaces }] } };
}

/** A Service for each Deployment that serves webhooks. */
export function renderWebhookServices({ csv }: RegistryBundle, context: RenderContext): JsonObject[] {
  const webhooks = csv.spec?.webhookdefinitions ?? [];
  return (csv.spec?.install?.spec?.deployments ?? []).flatMap(({ name = "", spec }) => {
    const served = webhooks.filter((webhook) => (webhook.deploymentName ?? "") === name);
    if (served.length === 0) return [];
    const names = namesFor(name);
    const selector = (spec?.["selector"] as JsonObject | undefined)?.["matchLabels"];
    const service = createObject("core/v1.Service", "Service", "v1", {
      metadata: { namespace: context.namespace, name: names.service },
      spec: { ports: createPorts(served), ...(selector === undefined ? {} : { selector }) },
    });
    return [requestServingCertificate(service, names, context)];
  });
}

interface ServicePort {
  readonly name: string;
  readonly port: number;
  readonly targetPort: number | string;
}

function createPorts(webhooks: readonly WebhookDefinition[]): JsonObject[] {
  const ports = new Map<string, ServicePort>();
  for (const { containerPort = 0, targetPort } of webhooks) {
    const port = containerPort > 0 ? containerPort : 443;
    const entry = { name: String(port), port, targetPort: targetPort ?? port };
    ports.set(JSON.stringify(entry), entry);
  }
  return [...ports.values()].sort((a, b) => a.port - b.port || toNumber(a.targetPort) - toNumber(b.targetPort)) as unknown as JsonObject[];
}

/** Go's `IntValue`: names of ports count as 0. */
function toNumber(port: number | string): number {
  return typeof port === "number" ? port : /^[+-]?\d+$/.test(port) ? Number(port) : 0;
}
