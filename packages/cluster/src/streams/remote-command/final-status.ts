import type { ContainerSessionEnd } from "../../node/index.ts";
import { internalError } from "../../status/index.ts";

/** The final status of a session. */
export interface FinalStatus {
  readonly metadata: object;
  readonly status: "Success" | "Failure";
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: object | undefined;
  readonly code?: number | undefined;
}

export type RemoteOperation = "executing command in" | "attaching to";

export function buildFinalStatus(end: ContainerSessionEnd, doing: RemoteOperation): FinalStatus {
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

/** Encodes the status: as JSON from version 4 on, before as the message of a failure. */
export function encodeStatus(status: FinalStatus, structured: boolean): Uint8Array {
  if (structured) return Buffer.from(JSON.stringify(status));
  return Buffer.from(status.status === "Success" ? "" : (status.message ?? ""));
}
