/** Codes of `WireError`, used like an errno. */
export type WireErrorCode = "CONNECT_TIMEOUT" | "HEAD_TIMEOUT" | "BODY_TIMEOUT" | "HUNG_UP" | "MALFORMED" | "CLOSED" | "PROXY";

/** A failure of a connection that has no errno of the operating system. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly code: WireErrorCode;

  constructor(code: WireErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
