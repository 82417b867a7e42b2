import { RequestError } from "pintle/client";
import { PintleError } from "pintle/internal/errors";

/** A reconciliation that failed and is not retried before its object changes. `reason` is that of the condition. */
export class TerminalFailure extends PintleError {
  override readonly name = "TerminalFailure";
  readonly reason: string;

  constructor(message: string, reason = "Blocked") {
    super("PINTLE8050", message);
    this.reason = reason;
  }
}

/** A reconciliation that failed and is retried with backoff. */
export function failure(message: string, cause?: unknown): PintleError {
  return new PintleError("PINTLE8051", message, cause === undefined ? undefined : { cause });
}

/** The text of an error as Go's programs show it: of a failed request, the message of the Status. */
export function describeError(error: unknown): string {
  if (error instanceof RequestError) return error.status?.message ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

const EPHEMERAL_ADDRESS =
  /(read|write) (tcp|udp) ((?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|\[[0-9a-fA-F:]+\])(?::\d+)?)->((?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|\[[0-9a-fA-F:]+\])(?::\d+)?)(: )?/g;

/** The text of an error without the addresses of a connection, which would change with every attempt. */
export function describeStableError(error: unknown): string {
  return describeError(error).replace(EPHEMERAL_ADDRESS, "");
}
