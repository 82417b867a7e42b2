import { ConnectionError, RequestError } from "../../client/index.ts";
import { formatErrorChain } from "../../errors/index.ts";
import type { Controller } from "../declare/controller.ts";
import { AlreadyOwned, NotLeading, Oscillation, ReconcileError, ReconcileTimeout, TerminalError } from "../errors.ts";

/** A failed reconciliation as it is reported on the object. */
export interface Failure {
  readonly phase: "reconcile" | "finalize";
  /** The reason of the condition and the Event. */
  readonly reason: string;
  /** One line with all causes. It begins with controller and phase: see `failingController`. */
  readonly message: string;
  /** No retry before the next event. */
  readonly isTerminal: boolean;
}

/** Failures of the API server that usually pass are reported from this number in a row on. */
const TRANSIENT_FAILURES = 3;

/** Describes a failure for its object; `undefined` if it is not to be reported. `previous` is the number of failures in a row before it. */
export function describeFailure(
  { name }: Pick<Controller, "name">,
  error: unknown,
  phase: Failure["phase"],
  previous: number,
): Failure | undefined {
  if (error instanceof NotLeading) return undefined;
  if (previous + 1 < TRANSIENT_FAILURES && isTransient(error)) return undefined;
  const reason = reasonOf(error) ?? (phase === "reconcile" ? "ReconcileFailed" : "FinalizeFailed");
  return { phase, reason, message: `${name}: ${phase} failed: ${formatErrorChain(error)}`, isTerminal: error instanceof TerminalError };
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof ReconcileError) return error.reason;
  if (error instanceof TerminalError) return error.cause instanceof ReconcileError ? error.cause.reason : undefined;
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
