/**
 * Webhooks: a say in what is stored, and conversion between the versions of a resource.
 *
 * In: `webhook(Kind, { default, validate })` as a value, and resources with several versions. Out: an HTTPS server that
 * answers reviews (`serveWebhooks`, which `run({ webhooks })` calls), and what an API server and a cluster must be told for it
 * (`webhookConfigurations`, `certificatePermissions`). Everything that makes a verdict is pure; certificates are renewed by a pure
 * function over what a Secret holds. Only defining a webhook is loaded with this door; the server comes when it is needed.
 */
export { type ConfigurationOptions, clientConfig, type Endpoint, webhookConfigurations } from "./configurations.ts";
export { type DenialOptions, Denied, denied } from "./denied.ts";
export { converting, definitionName, type ServedFacts, type WebhookFacts, webhookFacts } from "./facts.ts";
export { fromSchema } from "./from-schema.ts";
export { InvalidWebhook } from "./invalid-webhook.ts";
export type { MatchCondition, Matching, MatchingOptions } from "./matching.ts";
export { CONVERT_PATH, SERVICE_PORT, WEBHOOK_PORT, type WebhookNames, webhookNames } from "./names.ts";
export { type CertificateRule, certificatePermissions } from "./permissions.ts";
export type { AdmissionRequest, Draft, Operation, UserInfo } from "./request.ts";
export type { Certificates, ServeOptions, Serving, WebhookObserver } from "./serve.ts";
export { serveWebhooks } from "./serve-webhooks.ts";
export type { FieldError, FieldPath, FieldReason, Verdict } from "./verdict.ts";
export { type Webhook, type WebhookOptions, webhook } from "./webhook.ts";
