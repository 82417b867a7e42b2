/** What the API server says about a request that failed (and about some that did not). */
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

export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  /** A plural in most answers, a kind in some. */
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

export interface StatusCause {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}

export function isStatus(value: unknown): value is Status {
  return value !== null && typeof value === "object" && (value as Status).kind === "Status" && (value as Status).apiVersion === "v1";
}
