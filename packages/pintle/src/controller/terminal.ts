/** A failure that trying again cannot cure; made by `terminal()`. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** `throw terminal("the bucket name is taken")`: not retried; the object waits for the next change. */
export function terminal(reason: string | Error): TerminalError {
  return reason instanceof Error ? new TerminalError(reason.message, { cause: reason }) : new TerminalError(reason);
}
