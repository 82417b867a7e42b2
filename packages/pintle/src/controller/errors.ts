import { PintleError } from "../errors/index.ts";
import type { ConditionValue } from "./declare/desired-state.ts";

/**
 * A declaration or a returned value that the library rejects. It counts as a programming error, like a TypeError.
 *
 * @example
 * ```ts
 * import { InvalidUsage } from "pintle";
 *
 * export const isMisuse = (error: unknown): boolean => error instanceof InvalidUsage;
 * ```
 */
export class InvalidUsage extends PintleError {
  override readonly name = "InvalidUsage";
}

/**
 * A failure that a retry cannot cure; created by `terminal()`.
 *
 * @example
 * ```ts
 * import { TerminalError } from "pintle";
 *
 * export const isFinal = (error: unknown): boolean => error instanceof TerminalError;
 * ```
 */
export class TerminalError extends PintleError {
  override readonly name = "TerminalError";
  constructor(message: string, options?: ErrorOptions) {
    super("PINTLE3023", message, options);
  }
}

/**
 * Creates an error that stops retries when it is thrown from `reconcile` or `finalize`.
 *
 * ## Guarantees
 *
 * - The object is not retried. It is reconciled again when an event, a resync or a source enqueues it.
 * - The error is logged, counted as `controller_runtime_terminal_reconcile_errors_total` and recorded as a Warning Event on the object.
 *
 * @example
 * ```ts
 * import { terminal } from "pintle";
 *
 * export function checkBucketName(name: string): void {
 *   if (name.length > 63) throw terminal(`bucket name ${name} is longer than 63 characters`);
 * }
 * ```
 */
export function terminal(reason: string | Error): TerminalError {
  return reason instanceof Error ? new TerminalError(reason.message, { cause: reason }) : new TerminalError(reason);
}

/**
 * A failure with a reason for the `Ready` condition; created by `failed()`.
 *
 * @example
 * ```ts
 * import { ReconcileError } from "pintle";
 *
 * export const isQuotaExceeded = (error: unknown): boolean => error instanceof ReconcileError && error.reason === "QuotaExceeded";
 * ```
 */
export class ReconcileError extends PintleError {
  override readonly name = "ReconcileError";
  /** The reason of the `Ready` condition and of the Event, in CamelCase. */
  readonly reason: string;
  /** Conditions of the object, by type, that are reported with the failure. */
  readonly conditions: Readonly<Record<string, ConditionValue>>;
  constructor(reason: string, message: string, { conditions = {}, ...options }: FailedOptions = {}) {
    super("PINTLE3024", message, options);
    this.reason = reason;
    this.conditions = conditions;
  }
}

/** Options of `failed()`. */
export interface FailedOptions extends ErrorOptions {
  /**
   * Conditions to report with the failure, by type; those that `defineResource` does not declare are ignored with a warning. `Ready` is taken over
   * unless it is True. Default: none, so that the conditions of the object keep their values.
   */
  readonly conditions?: Readonly<Record<string, ConditionValue>> | undefined;
}

/**
 * Creates an error with a reason for the `Ready` condition and the Event of the object. Throw it from `reconcile` or `finalize`, with `conditions` if
 * others are known too, or return it as `failure` of `want()` together with children, status and conditions. The object is retried with backoff.
 *
 * @example
 * ```ts
 * import { failed } from "pintle";
 *
 * export async function readInvoice(url: string): Promise<unknown> {
 *   try {
 *     return await (await fetch(url)).json();
 *   } catch (cause) {
 *     throw failed("BillingUnreachable", "could not reach billing", { cause });
 *   }
 * }
 * ```
 */
export function failed(reason: string, message: string, options?: FailedOptions): ReconcileError {
  if (!/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason))
    throw new InvalidUsage("PINTLE3005", `reason ${JSON.stringify(reason)} of failed(): use CamelCase, as in "QuotaExceeded"`);
  return new ReconcileError(reason, message, options);
}

/**
 * A desired child is controlled by another owner. Rename the child, or delete the other object.
 *
 * @example
 * ```ts
 * import { AlreadyOwned } from "pintle";
 *
 * export const isNameTaken = (error: unknown): boolean => error instanceof AlreadyOwned;
 * ```
 */
export class AlreadyOwned extends PintleError {
  override readonly name = "AlreadyOwned";
  constructor(message: string) {
    super("PINTLE3020", message);
  }
}

/**
 * A write was not sent because this process may no longer be the leader.
 *
 * @example
 * ```ts
 * import { NotLeading } from "pintle";
 *
 * export const isLeadershipLost = (error: unknown): boolean => error instanceof NotLeading;
 * ```
 */
export class NotLeading extends PintleError {
  override readonly name = "NotLeading";
  constructor(message: string) {
    super("PINTLE4001", message);
  }
}

/**
 * A call of `reconcile` or `finalize` exceeded the controller's `timeout`. The object is retried with backoff. The message names the last call of
 * `client`.
 *
 * @example
 * ```ts
 * import { ReconcileTimeout } from "pintle";
 *
 * export const isTimeout = (reason: unknown): boolean => reason instanceof ReconcileTimeout;
 * ```
 */
export class ReconcileTimeout extends PintleError {
  override readonly name = "ReconcileTimeout";
  /** The call went on after its `signal` was aborted, and was abandoned: its promise may never settle. */
  readonly isAbandoned: boolean;
  constructor(message: string, { isAbandoned = false }: { readonly isAbandoned?: boolean } = {}) {
    super("PINTLE3022", message);
    this.isAbandoned = isAbandoned;
  }
}

/**
 * A controller whose plan never becomes empty: every reconcile pass undoes or repeats the writes of the pass before.
 *
 * @example
 * ```ts
 * import { Oscillation } from "pintle";
 *
 * export const isOscillating = (error: unknown): boolean => error instanceof Oscillation;
 * ```
 */
export class Oscillation extends PintleError {
  override readonly name = "Oscillation";
  constructor(message: string) {
    super("PINTLE3021", message);
  }
}

/**
 * Returns whether an error is a bug of the program rather than a failure of its environment: what would be a panic in Go. The TypeError of `fetch` is
 * a network error: it has a cause.
 */
export function isProgrammingError(error: unknown): boolean {
  if (error instanceof TypeError && error.cause instanceof Error) return false;
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError || error instanceof InvalidUsage;
}
