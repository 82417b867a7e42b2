import { Conflict } from "../client/index.ts";
import { type Outcome, type Reason, reasonText } from "../queue/index.ts";
import type { Logger } from "./logger.ts";
import { NotLeading } from "./not-leading.ts";
import { isSettled, type Plan, planText } from "./plan.ts";

export interface Ended {
  readonly outcome: Outcome;
  readonly plans: readonly Plan[];
  readonly reasons: readonly Reason[];
  readonly took: number;
  /** The manager stops: what was cut short is no failure. */
  readonly stopping: boolean;
}

/** One line about a run: what was done, and why. Runs that changed nothing are for `debug`. */
export function report(log: Logger, { outcome, plans, reasons, took, stopping }: Ended): void {
  const done = plans.filter((each) => !isSettled(each)).map(planText);
  const fields = { reasons: reasons.map(reasonText), ...(done.length === 0 ? {} : { plan: done.join("; ") }), took: Math.round(took) };
  if (outcome.type === "failed") failed(log, outcome.error, fields, stopping);
  else if (outcome.type === "terminal") log.error("reconcile failed and waits for a change", { ...fields, error: outcome.error });
  else if (done.length > 0) log.info("reconciled", fields);
  else log.debug("reconciled", fields);
}

function failed(log: Logger, error: unknown, fields: object, stopping: boolean): void {
  if (stopping) return;
  // Someone else was faster: normal among several writers, and cured by looking again.
  if (error instanceof Conflict) log.debug("conflict, looking again", { ...fields, error: error.message });
  else if (error instanceof NotLeading) log.info("not written, because another process may lead", { ...fields });
  else log.error("reconcile failed, will be retried", { ...fields, error });
}
