/**
 * What an operator imports: define a resource, write a controller and webhooks, run it.
 *
 * Everything else has a door of its own: "pintle/client", "pintle/cache", "pintle/queue", "pintle/webhook", "pintle/testing", and the
 * built-in kinds, one file per group and version: "pintle/kinds/apps/v1".
 */
export * as z from "zod";
export { allow, type Client, connect } from "./client/index.ts";
export * from "./controller/index.ts";
export { type Child, foreign, meta, microTime, optional, type ReadOf, text } from "./kinds/index.ts";
export * from "./manager/index.ts";
export * from "./resource/index.ts";
export {
  type AdmissionRequest,
  Denied,
  denied,
  type FieldError,
  fromSchema,
  InvalidWebhook,
  type Verdict,
  type Webhook,
  type WebhookOptions,
  webhook,
} from "./webhook/index.ts";
