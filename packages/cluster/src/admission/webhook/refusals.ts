import type { JsonObject } from "pintle/kinds";
import { ApiError, badRequest, goQuote, internalError, type StatusDetails } from "../../status/index.ts";
import type { Hook } from "./hook.ts";

/** A webhook could not be asked, or its answer is no use: its failurePolicy decides. */
export class HookFailure extends Error {
  override readonly name = "HookFailure";
  constructor({ name }: Hook, reason: string) {
    super(`failed calling webhook ${goQuote(name)}: ${reason}`);
  }
  get refusal(): ApiError {
    return internalError(this.message);
  }
}

/** A webhook said no. */
export function denied({ name }: Hook, result: JsonObject = {}): ApiError {
  const { message, reason, details, code } = result as {
    readonly message?: string;
    readonly reason?: string;
    readonly details?: StatusDetails;
    readonly code?: number;
  };
  const by = `admission webhook ${goQuote(name)} denied the request`;
  const text = message || reason ? `${by}: ${message || reason}` : `${by} without explanation`;
  return new ApiError(Math.max(code ?? 0, 400), reason ?? "", text, details);
}

/** A webhook that leaves traces cannot be asked in a dry run. */
export function noDryRun({ name }: Hook): ApiError {
  return badRequest(`admission webhook ${goQuote(name)} does not support dry run`);
}
