import type { SessionEnd } from "../../node/index.ts";
import { internalError } from "../../status/index.ts";

/** What a client is told at the end: nothing but success needs words. */
export interface FinalStatus {
  readonly metadata: object;
  readonly status: "Success" | "Failure";
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: object | undefined;
  readonly code?: number | undefined;
}

export type Doing = "executing command in" | "attaching to";

export function finalStatus(end: SessionEnd, doing: Doing): FinalStatus {
  if ("error" in end) {
    const { metadata, status, message, reason, details, code } = internalError(`error ${doing} container: ${end.error}`).status;
    return { metadata, status, message, reason, details, code };
  }
  if (end.code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: command terminated with exit code ${end.code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(end.code) }] },
  };
}

/** Before version 4 of the protocol a failure is a sentence, and success is silence. */
export function statusBytes(status: FinalStatus, structured: boolean): Uint8Array {
  if (structured) return Buffer.from(JSON.stringify(status));
  return Buffer.from(status.status === "Success" ? "" : (status.message ?? ""));
}
