import { ConnectionError, RequestError } from "../../client/index.ts";
import { formatErrorChain } from "../../errors/index.ts";
import type { Controller } from "../declare/controller.ts";
import type { ConditionValue } from "../declare/desired-state.ts";
import { AlreadyOwned, NotLeading, Oscillation, ReconcileError, ReconcileTimeout, TerminalError } from "../errors.ts";
import { formatReturnedFailure } from "../plan/failure-status.ts";

/** A failed reconciliation as it is reported on the object. */
export interface Failure {
  readonly phase: "reconcile" | "finalize";
  /** The reason of the condition and the Event. */
  readonly reason: string;
  /** One line with all causes. It names the controller: see `failingController`. */
  readonly message: string;
  /** No retry before the next event. */
  readonly isTerminal: boolean;
  /** The conditions of `failed()`, by type. */
  readonly conditions: Readonly<Record<string, ConditionValue>>;
}

/** Failures of the API server that usually pass are reported from this number in a row on. */
const TRANSIENT_FAILURES = 3;

/**
 * Describes a failure for its object; `undefined` if it is not to be reported. `previous` is the number of failures in a row before it, or
 * "returned" for the `failure` of `want()`, whose text is the author's: it is reported at once and as it is.
 */
export function describeFailure(
  { name }: Pick<Controller, "name">,
  error: unknown,
  phase: Failure["phase"],
  previous: number | "returned",
): Failure | undefined {
  if (error instanceof NotLeading) return undefined;
  const isReturned = previous === "returned";
  if (!isReturned && previous + 1 < TRANSIENT_FAILURES && isTransient(error)) return undefined;
  const reason = reasonOf(error) ?? (phase === "reconcile" ? "ReconcileFailed" : "FinalizeFailed");
  const text = formatErrorChain(error);
  const message = isReturned ? formatReturnedFailure(name, text) : `${name}: ${phase} failed: ${text}`;
  return { phase, reason, message, isTerminal: error instanceof TerminalError, conditions: findReconcileError(error)?.conditions ?? {} };
}

/** Returns the error of `failed()`, also within `terminal()`. */
function findReconcileError(error: unknown): ReconcileError | undefined {
  if (error instanceof ReconcileError) return error;
  return error instanceof TerminalError && error.cause instanceof ReconcileError ? error.cause : undefined;
}

function reasonOf(error: unknown): string | undefined {
  const found = findReconcileError(error);
  if (found !== undefined) return found.reason;
  return error instanceof ReconcileTimeout || error instanceof AlreadyOwned || error instanceof Oscillation ? error.name : undefined;
}

/** Conflicts, throttling, failures of the server and timeouts: normal among several writers and during an upgrade of the control plane. */
function isTransient(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isTransient);
  if (error instanceof ReconcileTimeout) return !error.isAbandoned;
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof RequestError)) return false;
  const { statusCode } = error;
  return statusCode === 0 || statusCode === 408 || statusCode === 409 || statusCode === 429 || statusCode >= 500;
}
