import type { Job } from "pintle/kinds/batch/v1";
import { fieldError, OMITTED } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { nonnegative, type Problems, same } from "../validate/problems.ts";

const isTrue = ({ status }: Loose<Job>, type: string) =>
  status?.conditions?.some((each) => each.type === type && each.status === "True") ?? false;
const isFinished = (job: Loose<Job>) => isTrue(job, "Complete") || isTrue(job, "Failed");
const wrong = (why: string) => fieldError.invalid("status.conditions", OMITTED, why);

/** What a status says must fit together, and a finished job stays as it ended. */
export function* validateJobStatus(job: Loose<Job>, live: Loose<Job>): Problems {
  const status = job.status ?? {};
  for (const name of ["active", "succeeded", "failed", "ready", "terminating"] as const) yield* nonnegative(`status.${name}`, status[name]);
  yield* conditions(job);
  if (isFinished(job)) yield* finished(job);
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
  yield* transitions(job, live);
}

function* conditions(job: Loose<Job>): Problems {
  const { completionTime, startTime } = job.status ?? {};
  const complete = isTrue(job, "Complete");
  if (complete && isTrue(job, "Failed")) yield wrong("cannot set Complete=True and Failed=true conditions");
  if (complete && isTrue(job, "FailureTarget")) yield wrong("cannot set Complete=True and FailureTarget=true conditions");
  if (completionTime && !complete) {
    yield fieldError.invalid("status.completionTime", completionTime, "cannot set completionTime when there is no Complete=True condition");
  }
  if (complete && !completionTime) yield fieldError.required("status.completionTime", "completionTime is required for Complete jobs");
  if (startTime && completionTime && completionTime < startTime) {
    yield fieldError.invalid("status.completionTime", completionTime, "must be equal to or after `startTime`");
  }
  if (isTrue(job, "Failed") && !isTrue(job, "FailureTarget")) {
    yield wrong("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if (complete && !isTrue(job, "SuccessCriteriaMet")) {
    yield wrong("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
}

function* finished({ spec, status }: Loose<Job>): Problems {
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

function* transitions(job: Loose<Job>, live: Loose<Job>): Problems {
  const { failed = 0, succeeded = 0, completionTime, startTime } = job.status ?? {};
  const was = live.status ?? {};
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (isTrue(live, type) && !isTrue(job, type)) yield wrong(`cannot disable the terminal ${type}=True condition`);
  }
  if ((failed ?? 0) < (was.failed ?? 0)) yield fieldError.invalid("status.failed", failed, "cannot decrease the failed counter");
  const elastic = job.spec?.completionMode === "Indexed" && job.spec.completions === job.spec.parallelism;
  if (!elastic && (succeeded ?? 0) < (was.succeeded ?? 0)) {
    yield fieldError.invalid("status.succeeded", succeeded, "cannot decrease the succeeded counter");
  }
  if (completionTime && was.completionTime && completionTime !== was.completionTime) {
    yield fieldError.invalid("status.completionTime", completionTime, "field is immutable");
  }
  const resumed = isTrue(live, "Suspended") && !isTrue(job, "Suspended");
  if (was.startTime && !same(startTime, was.startTime) && !job.spec?.suspend && !resumed) {
    yield fieldError.invalid("status.startTime", startTime ?? null, "field is immutable for unsuspended job once set");
  }
  if (isTrue(live, "SuccessCriteriaMet") && !isTrue(job, "SuccessCriteriaMet")) {
    yield wrong("cannot disable the SuccessCriteriaMet=True condition");
  }
}
