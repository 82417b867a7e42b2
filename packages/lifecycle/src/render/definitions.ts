import { PintleError } from "pintle/internal/errors";
import type { JsonObject } from "pintle/internal/json";
import type { RegistryBundle, WebhookDefinition } from "../bundle/index.ts";
import { toGoJson } from "../go-types/index.ts";
import { injectCaBundle, namesFor } from "./certificates.ts";
import type { RenderContext } from "./render-bundle.ts";

/** The CRDs of a bundle; those with a conversion webhook get the address of the webhook. */
export function renderDefinitions({ csv, crds }: RegistryBundle, context: RenderContext): JsonObject[] {
  const conversions = (csv.spec?.webhookdefinitions ?? []).filter((webhook) => webhook.type === "ConversionWebhook");
  return crds.map((definition) => {
    const name = definition.metadata?.name ?? "";
    const webhook = conversions.find(({ conversionCRDs = [] }) => conversionCRDs.includes(name));
    const converted = webhook === undefined ? definition : addConversion(definition, name, webhook, context);
    return toGoJson(converted, "apiextensions/v1.CustomResourceDefinition");
  });
}

function addConversion(definition: JsonObject, name: string, webhook: WebhookDefinition, context: RenderContext): JsonObject {
  const spec = (definition["spec"] ?? {}) as JsonObject;
  if (spec["preserveUnknownFields"] === true) {
    throw new PintleError(
      "PINTLE8016",
      `custom resource definition '${name}' must have .spec.preserveUnknownFields set to false to let API Server call webhook to do the conversion`,
    );
  }
  const names = namesFor(webhook.deploymentName ?? "");
  const service = {
    namespace: context.namespace,
    name: names.service,
    path: webhook.webhookPath ?? "/",
    port: webhook.containerPort ?? 0,
  };
  const { admissionReviewVersions: conversionReviewVersions } = webhook;
  const conversion = {
    strategy: "Webhook",
    webhook: { clientConfig: { service }, ...(conversionReviewVersions === undefined ? {} : { conversionReviewVersions }) },
  };
  return injectCaBundle({ ...definition, spec: { ...spec, conversion } }, names, context);
}
