import { buildClientConfig, CONVERT_PATH, type WebhookEndpoint, webhookNames } from "pintle/internal/webhook";
import type { Project } from "./find-project.ts";
import type { OperatorDescription } from "./operator.ts";

/** Returns the Service at which API servers reach a deployed operator. */
export function buildServiceEndpoint({ name, namespace }: Pick<Project, "name" | "namespace">): WebhookEndpoint {
  return { service: { namespace, name: webhookNames(name).service } };
}

/** Returns the operator with CRDs that are converted at this endpoint. */
export function withConversionEndpoint(operator: OperatorDescription, endpoint: WebhookEndpoint, caBundle?: string): OperatorDescription {
  const resources = operator.resources.map((resource) => {
    const { crd } = resource;
    const { conversion } = crd.spec;
    if (conversion?.strategy !== "Webhook") return resource;
    const webhook = { ...conversion.webhook, clientConfig: buildClientConfig(endpoint, CONVERT_PATH, caBundle) as never };
    return { ...resource, crd: { ...crd, spec: { ...crd.spec, conversion: { ...conversion, webhook } } } };
  });
  return { ...operator, resources };
}
