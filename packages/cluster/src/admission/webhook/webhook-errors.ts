import { quoteGoString } from "pintle/internal/go-format";
import type { JsonObject } from "pintle/kinds";
import { ApiError, badRequest, internalError, type StatusDetails } from "../../status/index.ts";
import type { Webhook } from "./webhook.ts";

/** A webhook could not be called, or its response is unusable; its failurePolicy decides. */
export class CallingWebhookError extends Error {
  override readonly name = "HookFailure";
  constructor({ name }: Webhook, reason: string) {
    super(`failed calling webhook ${quoteGoString(name)}: ${reason}`);
  }
  get toApiError(): ApiError {
    return internalError(this.message);
  }
}

/** The response of a request that a webhook denied. */
export function webhookDenied({ name }: Webhook, result: JsonObject = {}): ApiError {
  const { message, reason, details, code } = result as {
    readonly message?: string;
    readonly reason?: string;
    readonly details?: StatusDetails;
    readonly code?: number;
  };
  const by = `admission webhook ${quoteGoString(name)} denied the request`;
  const text = message || reason ? `${by}: ${message || reason}` : `${by} without explanation`;
  return new ApiError(Math.max(code ?? 0, 400), reason ?? "", text, details);
}

/** The response of a dry run that matches a webhook with side effects. */
export function dryRunNotSupported({ name }: Webhook): ApiError {
  return badRequest(`admission webhook ${quoteGoString(name)} does not support dry run`);
}
