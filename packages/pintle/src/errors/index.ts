/**
 * Errors with a stable code. Every failure that a user of Pintle can see, other than a Kubernetes `Status`, is a `PintleError` whose
 * `code` is listed in `codes.ts`; and `runInBackground`, which handles the error of a promise that nothing awaits. Imported by every other
 * folder; imports nothing.
 */
import type { ErrorCode } from "./codes.ts";

export { ERROR_CODES, type ErrorCode } from "./codes.ts";
export { formatErrorChain } from "./error-chain.ts";
export { type BackgroundErrorHandler, ignoreError, runInBackground } from "./run-in-background.ts";

/**
 * An error with a stable code of the registry. Subclasses exist where a caller can act on the failure; elsewhere it is thrown as it is.
 *
 * `code` is an own property, so Node prints it below the stack of an uncaught error.
 *
 * @example
 * ```ts
 * import { PintleError } from "pintle";
 * import { connect } from "pintle/client";
 *
 * await connect().catch((error: unknown) => {
 *   if (error instanceof PintleError) console.error(`${error.code}: ${error.message}`);
 *   throw error;
 * });
 * ```
 */
export class PintleError extends Error {
  // A literal, not `new.target.name`: bundlers shorten class names. Subclasses do the same.
  override readonly name: string = "PintleError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * A state that the code of Pintle rules out: a bug in Pintle. A failure that an input, an environment or a server can cause is no internal
 * error: it has a code of its own, which says what to do.
 */
export class InternalError extends PintleError {
  override readonly name = "InternalError";

  constructor(message: string, options?: ErrorOptions) {
    super("PINTLE9001", `${message}: this is a bug in Pintle, please report it`, options);
  }
}

/** A call with an argument that can never be valid, such as a missing name: a programming error, hence a `TypeError`, with a code. */
export class InvalidArgumentError extends TypeError {
  override readonly name = "InvalidArgumentError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
