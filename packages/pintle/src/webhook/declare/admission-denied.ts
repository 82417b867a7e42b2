import { PintleError } from "../../errors/index.ts";

/** Options of `denyAdmission`. */
export interface DenyAdmissionOptions {
  /** The HTTP status that the client receives. Default: 403. */
  readonly statusCode?: number | undefined;
  /** The reason of the Status. Default: the reason that Kubernetes uses for the status code, such as "Forbidden". */
  readonly reason?: string | undefined;
}

/**
 * Denies an admission request as a whole when a webhook throws it. Created by `denyAdmission`.
 *
 * @example
 * ```ts
 * import { AdmissionDenied, denyAdmission } from "pintle";
 *
 * const error = denyAdmission("the cluster is frozen until Monday");
 * console.log(error instanceof AdmissionDenied, error.statusCode); // true 403
 * ```
 */
export class AdmissionDenied extends PintleError {
  override readonly name = "Denied";
  /** The HTTP status that the client receives. */
  readonly statusCode: number;
  /** The reason of the Status; undefined for the default of the status code. */
  readonly reason: string | undefined;

  constructor(message: string, { statusCode = 403, reason }: DenyAdmissionOptions = {}) {
    super("PINTLE5006", message);
    this.statusCode = statusCode;
    this.reason = reason;
  }
}

/**
 * Returns the error that a webhook throws to deny a request as a whole. For an invalid field, return a `FieldError` from `validate`
 * instead.
 *
 * @example
 * ```ts
 * import { defineResource, denyAdmission, webhook, z } from "pintle";
 *
 * const Thing = defineResource({ group: "example.com", version: "v1", kind: "Thing", spec: z.object({ size: z.int32() }) });
 * export const freeze = webhook(Thing, {
 *   validate({ user }) {
 *     if (user.username !== "admin") throw denyAdmission("the cluster is frozen until Monday");
 *   },
 * });
 * ```
 */
export function denyAdmission(message: string, options?: DenyAdmissionOptions): AdmissionDenied {
  return new AdmissionDenied(message, options);
}
