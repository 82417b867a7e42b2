import { type ErrorCode, PintleError } from "../../errors/index.ts";
import type { Status, StatusCause } from "./status.ts";

/** The arguments of a request error. */
export interface RequestErrorInit {
  /** One sentence: what happened to which object, and what to do next. */
  readonly message: string;
  /** "GET /api/v1/namespaces/default/pods/web" */
  readonly request: string;
  /** The HTTP status code; 0 without a response. */
  readonly statusCode: number;
  /** The Status in the response. Default: none, as in responses of proxies. */
  readonly status?: Status | undefined;
  /** The error behind this one. Default: none. */
  readonly cause?: unknown;
}

/**
 * A request that failed. Its subclass determines what a caller can do about it. Details are accessors, so that printing an error prints its
 * message and code, not the response.
 *
 * @example
 * ```ts
 * import { connect, RequestError } from "pintle/client";
 * import { Pod } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * try {
 *   await client.get(Pod, { namespace: "default", name: "web" });
 * } catch (error) {
 *   if (error instanceof RequestError) console.error(error.request, error.statusCode, error.reason);
 *   else throw error;
 * }
 * ```
 */
export class RequestError extends PintleError {
  override readonly name: string = "RequestError";
  readonly #init: RequestErrorInit;

  constructor(code: ErrorCode, init: RequestErrorInit) {
    super(code, init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.#init = init;
  }

  /** Method and path: "GET /api/v1/namespaces/default/pods/web". */
  get request(): string {
    return this.#init.request;
  }
  /** The HTTP status code; 0 without a response. */
  get statusCode(): number {
    return this.#init.statusCode;
  }
  /** The Status in the response. */
  get status(): Status | undefined {
    return this.#init.status;
  }
  /** The reason in the Status: "NotFound", "Conflict", ... */
  get reason(): string | undefined {
    return this.status?.reason;
  }
}

/**
 * The object does not exist, or its kind is not served.
 *
 * @example
 * ```ts
 * import { connect, NotFound } from "pintle/client";
 * import { Secret } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * const secret = await client.get(Secret, { namespace: "default", name: "ca" }).catch((error: unknown) => {
 *   if (error instanceof NotFound && !error.isUnservedKind) return undefined;
 *   throw error;
 * });
 * console.log(secret?.metadata.uid);
 * ```
 */
export class NotFound extends RequestError {
  override readonly name = "NotFound";
  constructor(init: RequestErrorInit) {
    super("PINTLE1101", init);
  }
  /** True if the server does not serve the kind or path, rather than lacking the object. */
  get isUnservedKind(): boolean {
    const details = this.status?.details;
    return details?.name === undefined && details?.kind === undefined;
  }
}

/**
 * A create failed because an object of that name exists.
 *
 * @example
 * ```ts
 * import { AlreadyExists, connect } from "pintle/client";
 * import { Namespace } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * await client.create(Namespace, { metadata: { name: "team-a" } }).catch((error: unknown) => {
 *   if (!(error instanceof AlreadyExists)) throw error;
 * });
 * ```
 */
export class AlreadyExists extends RequestError {
  override readonly name = "AlreadyExists";
  constructor(init: RequestErrorInit) {
    super("PINTLE1102", init);
  }
}

/**
 * The object was modified since it was read, or other field managers own the applied fields. Read again and repeat, or apply with force.
 *
 * @example
 * ```ts
 * import { Conflict, connect } from "pintle/client";
 * import { ConfigMap } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * try {
 *   await client.apply(ConfigMap, { metadata: { namespace: "default", name: "web" }, data: { mode: "fast" } });
 * } catch (error) {
 *   if (!(error instanceof Conflict)) throw error;
 *   for (const { field, message } of error.conflicts) console.error(field, message);
 * }
 * ```
 */
export class Conflict extends RequestError {
  override readonly name = "Conflict";
  constructor(init: RequestErrorInit) {
    super("PINTLE1103", init);
  }
  /** The fields that other managers own, when a server-side apply was refused. */
  get conflicts(): readonly StatusCause[] {
    return this.status?.details?.causes?.filter((cause) => cause.reason === "FieldManagerConflict") ?? [];
  }
}

/**
 * The object violates a validation rule; repeating the request cannot succeed.
 *
 * @example
 * ```ts
 * import { connect, Invalid } from "pintle/client";
 * import { Service } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * await client.create(Service, { metadata: { namespace: "default", name: "UPPER" } }).catch((error: unknown) => {
 *   if (!(error instanceof Invalid)) throw error;
 *   for (const { field, message } of error.causes) console.error(field, message);
 * });
 * ```
 */
export class Invalid extends RequestError {
  override readonly name = "Invalid";
  constructor(init: RequestErrorInit) {
    super("PINTLE1104", init);
  }
  /** What is wrong, by field path ("spec.replicas"). */
  get causes(): readonly StatusCause[] {
    return this.status?.details?.causes ?? [];
  }
}

/**
 * The server could not process the request: malformed, too large, or an unsupported method or media type.
 *
 * @example
 * ```ts
 * import { BadRequest, connect } from "pintle/client";
 * import { Pod } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * await client.list(Pod, { labels: "app in web" }).catch((error: unknown) => {
 *   if (error instanceof BadRequest) console.error(error.message);
 *   else throw error;
 * });
 * ```
 */
export class BadRequest extends RequestError {
  override readonly name = "BadRequest";
  constructor(init: RequestErrorInit) {
    super("PINTLE1105", init);
  }
}

/** The permission that a user lacks. */
export interface PermissionDenial {
  readonly user: string;
  readonly verb: string;
  /** "pods", "pods/log", or a path. */
  readonly resource: string;
  /** The API group; "" for the core group. */
  readonly group: string;
  /** Undefined at the cluster scope. */
  readonly namespace: string | undefined;
}

/**
 * The user lacks a permission, or an admission plugin refused the object.
 *
 * @example
 * ```ts
 * import { connect, Forbidden } from "pintle/client";
 * import { Node } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * await client.list(Node).catch((error: unknown) => {
 *   if (!(error instanceof Forbidden)) throw error;
 *   console.error(`${error.denial?.user} may not ${error.denial?.verb} ${error.denial?.resource}`);
 * });
 * ```
 */
export class Forbidden extends RequestError {
  override readonly name = "Forbidden";
  readonly #denial: PermissionDenial | undefined;
  constructor(init: RequestErrorInit, denial: PermissionDenial | undefined) {
    super("PINTLE1106", init);
    this.#denial = denial;
  }
  /** The missing permission; undefined if admission refused the object. */
  get denial(): PermissionDenial | undefined {
    return this.#denial;
  }
}

/**
 * The server does not accept the credentials.
 *
 * @example
 * ```ts
 * import { connect, Unauthorized } from "pintle/client";
 * import { Pod } from "pintle/kinds/core/v1";
 *
 * const client = await connect({ context: "staging" });
 * await client.list(Pod).catch((error: unknown) => {
 *   if (error instanceof Unauthorized) console.error("log in again");
 *   else throw error;
 * });
 * ```
 */
export class Unauthorized extends RequestError {
  override readonly name = "Unauthorized";
  constructor(init: RequestErrorInit) {
    super("PINTLE1107", init);
  }
}

/**
 * The resourceVersion or the continue token is too old. List again.
 *
 * @example
 * ```ts
 * import { connect, Expired } from "pintle/client";
 * import { Pod } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * try {
 *   for await (const event of client.watch(Pod, { resourceVersion: "1000" })) console.log(event.type);
 * } catch (error) {
 *   if (!(error instanceof Expired)) throw error;
 *   console.log((await client.list(Pod)).metadata.resourceVersion);
 * }
 * ```
 */
export class Expired extends RequestError {
  override readonly name = "Expired";
  constructor(init: RequestErrorInit) {
    super("PINTLE1108", init);
  }
  /** A token that continues the list at the latest version, without consistency with earlier pages. */
  get continue(): string | undefined {
    return this.status?.metadata?.continue;
  }
}

/**
 * The server is overloaded, or a PodDisruptionBudget does not allow an eviction now.
 *
 * @example
 * ```ts
 * import { connect, TooManyRequests } from "pintle/client";
 * import { Pod } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * await client.evict(Pod, { namespace: "default", name: "web-0" }).catch((error: unknown) => {
 *   if (!(error instanceof TooManyRequests)) throw error;
 *   console.log(`retry in ${error.retryAfterSeconds ?? 10} s`);
 * });
 * ```
 */
export class TooManyRequests extends RequestError {
  override readonly name = "TooManyRequests";
  constructor(init: RequestErrorInit) {
    super("PINTLE1109", init);
  }
  /** The delay that the server requests. */
  get retryAfterSeconds(): number | undefined {
    return this.status?.details?.retryAfterSeconds;
  }
}

/**
 * The request took too long; the server may have executed it.
 *
 * @example
 * ```ts
 * import { connect, hasCondition, Timeout } from "pintle/client";
 * import { Deployment } from "pintle/kinds/apps/v1";
 *
 * const client = await connect();
 * const ref = { namespace: "default", name: "web" };
 * await client.waitFor(Deployment, ref, hasCondition("Available"), { timeout: 60_000 }).catch((error: unknown) => {
 *   if (error instanceof Timeout) console.error(error.message);
 *   else throw error;
 * });
 * ```
 */
export class Timeout extends RequestError {
  override readonly name = "Timeout";
  constructor(init: RequestErrorInit) {
    super("PINTLE1110", init);
  }
}

/**
 * The server failed, or its response is not one of an API server.
 *
 * @example
 * ```ts
 * import { connect, ServerError } from "pintle/client";
 * import { Pod } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * await client.list(Pod).catch((error: unknown) => {
 *   if (error instanceof ServerError && error.statusCode === 503) console.error("the API server is not available");
 *   else throw error;
 * });
 * ```
 */
export class ServerError extends RequestError {
  override readonly name = "ServerError";
  constructor(init: RequestErrorInit) {
    super("PINTLE1111", init);
  }
}

/**
 * There was no response, or an incomplete one.
 *
 * @example
 * ```ts
 * import { ConnectionError, connect } from "pintle/client";
 * import { Pod } from "pintle/kinds/core/v1";
 *
 * const client = await connect();
 * await client.list(Pod).catch((error: unknown) => {
 *   if (error instanceof ConnectionError && error.errno === "ECONNREFUSED") console.error("is the API server running?");
 *   else throw error;
 * });
 * ```
 */
export class ConnectionError extends RequestError {
  override readonly name = "ConnectionError";
  readonly #mayHaveReachedServer: boolean;
  constructor(init: Omit<RequestErrorInit, "statusCode" | "status">, mayHaveReachedServer: boolean) {
    super("PINTLE1112", { ...init, statusCode: 0 });
    this.#mayHaveReachedServer = mayHaveReachedServer;
  }
  /** The errno of the operating system ("ECONNREFUSED"), or a code such as "HEAD_TIMEOUT", if there is one. */
  get errno(): string | undefined {
    return findErrno(this.cause);
  }
  /** False: the request never reached the server, so repeating it is safe even if it is not idempotent. */
  get mayHaveReachedServer(): boolean {
    return this.#mayHaveReachedServer;
  }
}

/** Returns the errno of an error. Connecting to several addresses fails with an AggregateError; its first error counts. */
export function findErrno(error: unknown): string | undefined {
  const { code, errors } = (error ?? {}) as { readonly code?: unknown; readonly errors?: readonly unknown[] };
  if (typeof code === "string") return code;
  return errors?.[0] === undefined ? undefined : findErrno(errors[0]);
}

/**
 * An object that was read does not match the schema given to `client.discoverKind()`.
 *
 * @example
 * ```ts
 * import * as z from "zod";
 * import { connect, SchemaMismatch } from "pintle/client";
 *
 * const client = await connect();
 * const Widget = await client.discoverKind("example.com/v1", "Widget", z.object({ spec: z.object({ size: z.int() }) }));
 * await client.list(Widget).catch((error: unknown) => {
 *   if (error instanceof SchemaMismatch) console.error(error.message);
 *   else throw error;
 * });
 * ```
 */
export class SchemaMismatch extends PintleError {
  override readonly name = "SchemaMismatch";
  constructor(message: string) {
    super("PINTLE1113", message);
  }
}
