/**
 * Configurable admission: webhooks and CEL policies. An admission request with its objects comes in, and the configurations are watched
 * in the store. Admission plugins go out, with the order of all plugins and the client that calls webhooks, also for conversion.
 */

export { type ConfiguredAdmission, type ConfiguredAdmissionOptions, createConfiguredAdmission } from "./configured-admission.ts";
export {
  ANNOTATION_RESULT,
  CONDITION_RESULT,
  createExpressionEnvironment,
  type ExpectedResultTypes,
  type ExpressionCompileOptions,
  type ExpressionEnvironment,
  MESSAGE_RESULT,
} from "./expressions/environment.ts";
export {
  APPLY_CONFIGURATION_RESULT,
  findPatchType,
  JSON_PATCH_RESULT,
} from "./expressions/patch-types.ts";
export { ADMISSION_PLUGINS, type AdmissionPluginOptions, orderAdmissionPlugins } from "./plugin-order.ts";
export { type CheckedKind, checkPolicyTypes, type ExpressionWarning, inlineReferences } from "./policy/type-checking.ts";
export {
  createServiceRoutes,
  type ServiceName,
  type ServiceRoutes,
  type ServiceTarget,
} from "./webhook-client/service-routes.ts";
export {
  createWebhookClient,
  type WebhookCallFault,
  type WebhookClient,
  type WebhookClientConfig,
  type WebhookClientOptions,
} from "./webhook-client/webhook-client.ts";
