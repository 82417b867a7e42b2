import { TerminalFailure } from "../api/failures.ts";

/** The reasons why a policy does not admit a revision. */
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

/** A policy does not admit a revision. The installed revision is kept and still reconciled. */
export class Hold extends TerminalFailure {
  /** Milliseconds until the next check. Default: the next change of an object. */
  readonly retryAfter: number | undefined;

  constructor(reason: HoldReason, message: string, retryAfter?: number) {
    super(message, reason);
    this.retryAfter = retryAfter;
  }
}
