import type { Job } from "pintle/kinds/batch/v1";
import { fieldError, OMITTED_VALUE } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { type FieldErrors, isSemanticallyEqual, validateNonnegative } from "../../validation/validators.ts";

const hasTrueCondition = ({ status }: Unvalidated<Job>, type: string) =>
  status?.conditions?.some((each) => each.type === type && each.status === "True") ?? false;
const isFinished = (job: Unvalidated<Job>) => hasTrueCondition(job, "Complete") || hasTrueCondition(job, "Failed");
const createConditionError = (why: string) => fieldError.invalid("status.conditions", OMITTED_VALUE, why);

/** Validates the status of a job: it must be consistent, and a finished job must stay finished. */
export function* validateJobStatus(job: Unvalidated<Job>, live: Unvalidated<Job>): FieldErrors {
  const status = job.status ?? {};
  for (const name of ["active", "succeeded", "failed", "ready", "terminating"] as const)
    yield* validateNonnegative(`status.${name}`, status[name]);
  yield* validateConditions(job);
  if (isFinished(job)) yield* validateFinished(job);
  if (status.completedIndexes && job.spec?.completionMode !== "Indexed") {
    const why = "cannot set non-empty completedIndexes when non-indexed completion mode";
    yield fieldError.invalid("status.completedIndexes", status.completedIndexes, why);
  }
  if (job.spec?.backoffLimitPerIndex == null && status.failedIndexes != null) {
    const why = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    yield fieldError.invalid("status.failedIndexes", status.failedIndexes, why);
  }
  if ((status.ready ?? 0) > (status.active ?? 0)) {
    yield fieldError.invalid("status.ready", status.ready, "cannot set more ready pods than active");
  }
  yield* validateTransitions(job, live);
}

function* validateConditions(job: Unvalidated<Job>): FieldErrors {
  const { completionTime, startTime } = job.status ?? {};
  const complete = hasTrueCondition(job, "Complete");
  if (complete && hasTrueCondition(job, "Failed")) yield createConditionError("cannot set Complete=True and Failed=true conditions");
  if (complete && hasTrueCondition(job, "FailureTarget"))
    yield createConditionError("cannot set Complete=True and FailureTarget=true conditions");
  if (completionTime && !complete) {
    yield fieldError.invalid("status.completionTime", completionTime, "cannot set completionTime when there is no Complete=True condition");
  }
  if (complete && !completionTime) yield fieldError.required("status.completionTime", "completionTime is required for Complete jobs");
  if (startTime && completionTime && completionTime < startTime) {
    yield fieldError.invalid("status.completionTime", completionTime, "must be equal to or after `startTime`");
  }
  if (hasTrueCondition(job, "Failed") && !hasTrueCondition(job, "FailureTarget")) {
    yield createConditionError("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if (complete && !hasTrueCondition(job, "SuccessCriteriaMet")) {
    yield createConditionError("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
}

function* validateFinished({ spec, status }: Unvalidated<Job>): FieldErrors {
  const { active = 0, terminating, startTime, uncountedTerminatedPods: uncounted } = status ?? {};
  if ((active ?? 0) > 0) yield fieldError.invalid("status.active", active, "active>0 is invalid for finished job");
  if (!startTime && !(spec?.suspend && spec.completions === 0)) {
    yield fieldError.required("status.startTime", "startTime is required for finished job");
  }
  if (uncounted?.failed?.length || uncounted?.succeeded?.length) {
    yield fieldError.invalid("status.uncountedTerminatedPods", uncounted, "must be empty for finished job");
  }
  if ((terminating ?? 0) > 0) yield fieldError.invalid("status.terminating", terminating, "terminating>0 is invalid for finished job");
}

function* validateTransitions(job: Unvalidated<Job>, live: Unvalidated<Job>): FieldErrors {
  const { failed = 0, succeeded = 0, completionTime, startTime } = job.status ?? {};
  const was = live.status ?? {};
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (hasTrueCondition(live, type) && !hasTrueCondition(job, type))
      yield createConditionError(`cannot disable the terminal ${type}=True condition`);
  }
  if ((failed ?? 0) < (was.failed ?? 0)) yield fieldError.invalid("status.failed", failed, "cannot decrease the failed counter");
  const elastic = job.spec?.completionMode === "Indexed" && job.spec.completions === job.spec.parallelism;
  if (!elastic && (succeeded ?? 0) < (was.succeeded ?? 0)) {
    yield fieldError.invalid("status.succeeded", succeeded, "cannot decrease the succeeded counter");
  }
  if (completionTime && was.completionTime && completionTime !== was.completionTime) {
    yield fieldError.invalid("status.completionTime", completionTime, "field is immutable");
  }
  const resumed = hasTrueCondition(live, "Suspended") && !hasTrueCondition(job, "Suspended");
  if (was.startTime && !isSemanticallyEqual(startTime, was.startTime) && !job.spec?.suspend && !resumed) {
    yield fieldError.invalid("status.startTime", startTime ?? null, "field is immutable for unsuspended job once set");
  }
  if (hasTrueCondition(live, "SuccessCriteriaMet") && !hasTrueCondition(job, "SuccessCriteriaMet")) {
    yield createConditionError("cannot disable the SuccessCriteriaMet=True condition");
  }
}
