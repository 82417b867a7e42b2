import type { Status, StatusCause } from "./status.ts";

/** What every failed request can tell. */
export interface Failure {
  /** One sentence: what happened to which object, and what to do next. */
  readonly message: string;
  /** "GET /api/v1/namespaces/default/pods/web" */
  readonly request: string;
  /** The HTTP status; 0 when there was no answer. */
  readonly code: number;
  /** What the server said; undefined when it said nothing or not in these words. */
  readonly status?: Status | undefined;
  readonly cause?: unknown;
}

/**
 * A request that failed. Its subclasses say what a caller can do about it. The details are accessors, so that
 * printing an error prints its sentence and not a dump of the answer.
 */
export class RequestError extends Error {
  readonly #failure: Failure;

  constructor(failure: Failure) {
    super(failure.message, failure.cause === undefined ? undefined : { cause: failure.cause });
    this.#failure = failure;
  }

  get request(): string {
    return this.#failure.request;
  }
  get code(): number {
    return this.#failure.code;
  }
  get status(): Status | undefined {
    return this.#failure.status;
  }
  /** "NotFound", "Conflict", ...: the server's own word. */
  get reason(): string | undefined {
    return this.status?.reason;
  }
}

/** The object is not there, or its kind is not served at all. */
export class NotFound extends RequestError {
  /** True when the server does not know the kind (or the path), rather than the object. */
  get ofKind(): boolean {
    const details = this.status?.details;
    return details?.name === undefined && details?.kind === undefined;
  }
}

/** Another object has the name. */
export class AlreadyExists extends RequestError {}

/** Someone else changed it first, or owns the fields: read again and repeat, or force. */
export class Conflict extends RequestError {
  /** Who owns which field, when a server-side apply was refused. */
  get conflicts(): readonly StatusCause[] {
    return this.status?.details?.causes?.filter((cause) => cause.reason === "FieldManagerConflict") ?? [];
  }
}

/** The object breaks a rule; repeating the request cannot help. */
export class Invalid extends RequestError {
  /** What is wrong, by field path: "spec.replicas". */
  get causes(): readonly StatusCause[] {
    return this.status?.details?.causes ?? [];
  }
}

/** The request makes no sense to the server: malformed, too large, or a method or format it does not know. */
export class BadRequest extends RequestError {}

/** Who was not allowed to do what. */
export interface Denial {
  readonly user: string;
  readonly verb: string;
  /** "pods", "pods/log", or a path. */
  readonly resource: string;
  readonly group: string;
  /** Undefined at the cluster scope. */
  readonly namespace: string | undefined;
}
/** The user lacks a permission, or an admission rule refuses the object. */
export class Forbidden extends RequestError {
  readonly #denial: Denial | undefined;
  constructor(failure: Failure, denial: Denial | undefined) {
    super(failure);
    this.#denial = denial;
  }
  /** Undefined when not a permission is missing but an admission rule refused. */
  get denial(): Denial | undefined {
    return this.#denial;
  }
}

/** The server does not know who is asking. */
export class Unauthorized extends RequestError {}

/** The resourceVersion or the continue token is too old: list again. */
export class Expired extends RequestError {
  /** A token with which a list can go on all the same, at the price of consistency. */
  get continue(): string | undefined {
    return this.status?.metadata?.continue;
  }
}

/** The server is busy, or a disruption budget allows no eviction now. */
export class TooManyRequests extends RequestError {
  get retryAfterSeconds(): number | undefined {
    return this.status?.details?.retryAfterSeconds;
  }
}

/** It took too long; the work may have been done all the same. */
export class Timeout extends RequestError {}

/** The server failed, or answered in a way no API server does. */
export class ServerError extends RequestError {}

/** Connecting to several addresses fails with all their errors; the first one stands for them. */
export function errnoOf(error: unknown): string | undefined {
  const { code, errors } = (error ?? {}) as { readonly code?: unknown; readonly errors?: readonly unknown[] };
  if (typeof code === "string") return code;
  return errors?.[0] === undefined ? undefined : errnoOf(errors[0]);
}

/** No answer, or only a part of one. */
export class ConnectionError extends RequestError {
  readonly #reached: boolean;
  constructor(failure: Omit<Failure, "code" | "status">, reached: boolean) {
    super({ ...failure, code: 0 });
    this.#reached = reached;
  }
  /** What the system said, if anything: "ECONNREFUSED". */
  get errno(): string | undefined {
    return errnoOf(this.cause);
  }
  /** False: the request certainly never got there, so repeating it is safe whatever it was. */
  get mayHaveReached(): boolean {
    return this.#reached;
  }
}

// On the prototypes, where printing an error does not repeat them, and as literals, which survive minifiers.
const named = {
  RequestError,
  NotFound,
  AlreadyExists,
  Conflict,
  Invalid,
  BadRequest,
  Forbidden,
  Unauthorized,
  Expired,
  TooManyRequests,
  Timeout,
  ServerError,
  ConnectionError,
};
for (const [name, type] of Object.entries(named)) Object.defineProperty(type.prototype, "name", { value: name, configurable: true });

/** An object that was read does not match the schema given to `client.kind()`. */
export class SchemaMismatch extends Error {
  override readonly name = "SchemaMismatch";
}
