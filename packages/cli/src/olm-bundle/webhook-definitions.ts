import { CONVERT_PATH, SERVICE_PORT, WEBHOOK_PORT } from "pintle/internal/webhook";
import type { JsonObject } from "pintle/kinds";
import type { BundleContext } from "./bundle-files.ts";

const TYPES: Readonly<Record<string, string>> = {
  MutatingWebhookConfiguration: "MutatingAdmissionWebhook",
  ValidatingWebhookConfiguration: "ValidatingAdmissionWebhook",
};
const COPIED_FIELDS = [
  ...["rules", "failurePolicy", "matchPolicy", "objectSelector", "sideEffects", "timeoutSeconds", "admissionReviewVersions"],
  "reinvocationPolicy",
];

/**
 * The webhooks of the operator as OLM registers them: it creates the Service, the certificates and the configurations.
 */
export function buildWebhookDefinitions({ operator }: BundleContext, objects: readonly JsonObject[]): JsonObject[] {
  const deployment = objects.find(({ kind }) => kind === "Deployment");
  if (deployment === undefined) return [];
  const common = {
    deploymentName: (deployment["metadata"] as JsonObject)["name"]!,
    containerPort: SERVICE_PORT,
    targetPort: WEBHOOK_PORT,
  };
  const admission = objects.flatMap((object) => {
    const type = TYPES[String(object["kind"])];
    if (type === undefined) return [];
    return (object["webhooks"] as readonly JsonObject[]).map((webhook) => {
      const { service } = webhook["clientConfig"] as { readonly service: JsonObject };
      const copied = Object.fromEntries(COPIED_FIELDS.flatMap((field) => (webhook[field] === undefined ? [] : [[field, webhook[field]]])));
      return { type, generateName: webhook["name"]!, ...common, ...copied, webhookPath: service["path"]! } as JsonObject;
    });
  });
  const { conversions } = operator.webhooks;
  if (conversions.length === 0) return admission;
  const conversion = {
    type: "ConversionWebhook",
    generateName: `convert.${conversions[0]!}`,
    ...common,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    webhookPath: CONVERT_PATH,
    conversionCRDs: [...conversions],
  };
  return [...admission, conversion];
}

/** Says which settings of webhooks OLM has no field for: the webhooks are then called for more requests. */
export function findLostWebhookSettings(objects: readonly JsonObject[]): string[] {
  const webhooks = objects
    .filter(({ kind }) => Object.hasOwn(TYPES, String(kind)))
    .flatMap(({ webhooks }) => webhooks as readonly JsonObject[]);
  return webhooks.flatMap((webhook) =>
    ["matchConditions", "namespaceSelector"]
      .filter((field) => webhook[field] !== undefined)
      .map((field) => `OLM ignores the ${field} of webhook ${String(webhook["name"])}: it is called for all requests that match its rules`),
  );
}
