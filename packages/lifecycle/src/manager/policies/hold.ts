import { TerminalFailure } from "../api/failures.ts";

/** Why a policy does not let a revision begin. */
export type HoldReason =
  | "WaitingForApproval"
  | "WaitingForRights"
  | "WaitingForWindow"
  | "HeldByOperator"
  | "StoredObjectsRefused"
  | "RolledBack"
  | "RollBackRefused"
  | "RollBackFailed"
  | "Untrusted"
  | "DependenciesMissing"
  | "InUse"
  | "InvalidPolicy";

/** A policy does not let a revision begin. What is installed stays, and is kept as it is. */
export class Hold extends TerminalFailure {
  /** When it is worth to look again, in milliseconds from now. Default: when something changes. */
  readonly retryAfter: number | undefined;

  constructor(reason: HoldReason, message: string, retryAfter?: number) {
    super(message, reason);
    this.retryAfter = retryAfter;
  }
}
