/**
 * Admission and conversion webhooks.
 *
 * In: webhooks declared with `webhook(Kind, { default, validate })`, and resources with several versions. Out: an HTTPS server for reviews
 * (`serveWebhooks`, which `run({ webhooks })` calls), and the webhook configurations and RBAC rules that it needs
 * (`buildWebhookConfigurations`, `certificatePolicyRules`).
 *
 * `declare/` has the declaration, `configuration/` the objects of the API server, `review/` the pure handling of reviews, `server/` the HTTPS
 * server, `certificates/` the issued certificates, whose renewal is a pure function of the stored ones. `server/`, `review/` and
 * `certificates/` are loaded when a server starts.
 */
export {
  type CertificatePolicyRule,
  certificatePolicyRules,
  secretPolicyRule,
} from "./configuration/certificate-policy-rules.ts";
export {
  crdName,
  describeWebhooks,
  resourcesWithConversion,
  type WebhookDescription,
  type WebhookServerDescription,
} from "./configuration/describe-webhooks.ts";
export {
  buildClientConfig,
  buildWebhookConfigurations,
  type WebhookConfigurationOptions,
  type WebhookEndpoint,
} from "./configuration/webhook-configurations.ts";
export {
  CONVERT_PATH,
  metricsNames,
  SERVICE_PORT,
  serviceHosts,
  WEBHOOK_PORT,
  type WebhookNames,
  webhookNames,
} from "./configuration/webhook-names.ts";
export {
  AdmissionDenied,
  type DenyAdmissionOptions,
  denyAdmission,
} from "./declare/admission-denied.ts";
export type { AdmissionOperation, AdmissionRequest, MutableObject, UserInfo } from "./declare/admission-request.ts";
export { InvalidWebhook } from "./declare/invalid-webhook.ts";
export type {
  MatchCondition,
  WebhookRegistration,
  WebhookRegistrationOptions,
} from "./declare/registration.ts";
export { validateWithSchema } from "./declare/validate-with-schema.ts";
export type { FieldError, FieldErrorReason, FieldPath, ValidationResult } from "./declare/validation-result.ts";
export { type Webhook, type WebhookOptions, webhook } from "./declare/webhook.ts";
export { type IssuedCertificates, issueMetricsCertificates } from "./issue-metrics-certificates.ts";
export { serveWebhooks } from "./serve-webhooks.ts";
export type {
  CertificateSource,
  RunningWebhookServer,
  ServeWebhooksOptions,
  WebhookObserver,
} from "./server/start-webhook-server.ts";
