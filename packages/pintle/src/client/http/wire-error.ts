export type WireCode = "CONNECT_TIMEOUT" | "HEAD_TIMEOUT" | "SILENT" | "HUNG_UP" | "MALFORMED" | "CLOSED" | "PROXY";

/** What went wrong on a connection that the system has no code for. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly code: WireCode;

  constructor(code: WireCode, message: string) {
    super(message);
    this.code = code;
  }
}
