/** A metav1.Status: the response of the API server to a failed request, and to some successful ones. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata?: { readonly continue?: string | undefined } | undefined;
  readonly status?: "Success" | "Failure" | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: StatusDetails | undefined;
  readonly code?: number | undefined;
}

/** The details of a Status. */
export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  /** A plural in most responses, a kind in some. */
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** One cause of a failure, for example one invalid field. */
export interface StatusCause {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}

/**
 * Returns whether a JSON value is a Status.
 *
 * @example
 * ```ts
 * import { isStatus } from "pintle/client";
 *
 * const body: unknown = { kind: "Status", apiVersion: "v1", status: "Failure" };
 * if (isStatus(body)) console.log(body.reason);
 * ```
 */
export function isStatus(value: unknown): value is Status {
  return value !== null && typeof value === "object" && (value as Status).kind === "Status" && (value as Status).apiVersion === "v1";
}

/**
 * The reason of a Status by its HTTP code, for responses that do not specify one. 409 is "Conflict"; a create that fails because the
 * object exists has the reason "AlreadyExists".
 *
 * @example
 * ```ts
 * import { STATUS_REASONS } from "pintle/client";
 *
 * console.log(STATUS_REASONS[404]); // "NotFound"
 * ```
 */
export const STATUS_REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Expired",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};
