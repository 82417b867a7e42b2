import type { Job } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { failurePolicy } from "./failure-policy.ts";
import { type Indexes, parseIndexes } from "./indexes.ts";
import { hasFailed, isGoing } from "./pod-facts.ts";
import type { Tally } from "./tally.ts";

/** How a job ends, as soon as that is known; its pods may still have to go. */
export interface Ending {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
}

/** Whether the job is decided, and how. Pure. */
export function endingOf(job: Job, pods: readonly Pod[], tally: Tally, now: number): Ending | undefined {
  const decided = job.status.conditions?.find(
    ({ type, status }) => (type === "SuccessCriteriaMet" || type === "FailureTarget") && status === "True",
  );
  if (decided !== undefined) return { type: decided.type as Ending["type"], reason: decided.reason ?? "", message: decided.message ?? "" };
  return failed(job, pods, tally, now) ?? succeeded(job, pods, tally);
}

const failure = (reason: string, message: string): Ending => ({ type: "FailureTarget", reason, message });
const success = (reason: string, message: string): Ending => ({ type: "SuccessCriteriaMet", reason, message });

function failed(
  job: Job,
  pods: readonly Pod[],
  { failed: count, failedIndexes, succeededIndexes }: Tally,
  now: number,
): Ending | undefined {
  const { spec, status } = job;
  for (const pod of pods.filter((each) => hasFailed(job, each))) {
    const match = failurePolicy(job, pod);
    if (match?.action === "FailJob") return failure("PodFailurePolicy", match.message);
  }
  if (count > (spec.backoffLimit ?? 6) || restartedTooOften(job, pods)) {
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  const { activeDeadlineSeconds } = spec;
  if (
    activeDeadlineSeconds !== undefined &&
    !spec.suspend &&
    status.startTime !== undefined &&
    now >= Date.parse(status.startTime) + activeDeadlineSeconds * 1000
  ) {
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  if (spec.backoffLimitPerIndex === undefined) return undefined;
  if (spec.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes) {
    return failure("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  if (failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= (spec.completions ?? 0))
    return failure("FailedIndexes", "Job has failed indexes");
  return undefined;
}

/** Containers that are restarted in place count by their restarts. */
function restartedTooOften({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec?.restartPolicy !== "OnFailure") return false;
  const alive = pods.filter(({ status }) => status.phase === "Running" || status.phase === "Pending");
  const restarts = alive
    .flatMap(({ status }) => [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  const limit = spec.backoffLimit ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function succeeded({ spec }: Job, pods: readonly Pod[], { succeeded: count, succeededIndexes }: Tally): Ending | undefined {
  for (const [i, rule] of (spec.successPolicy?.rules ?? []).entries()) {
    if (fulfils(rule, succeededIndexes)) return success("SuccessPolicy", `Matched rules at index ${i}`);
  }
  const active = pods.some((pod) => !isGoing(pod) && pod.status.phase !== "Succeeded" && pod.status.phase !== "Failed");
  // Without a number of completions, one success says that there is no more work; the others may still finish theirs.
  const complete = spec.completions === undefined ? count > 0 && !active : count >= spec.completions;
  return complete ? success("CompletionsReached", "Reached expected number of succeeded pods") : undefined;
}

function fulfils(
  rule: { readonly succeededIndexes?: string | undefined; readonly succeededCount?: number | undefined },
  done: Indexes,
): boolean {
  const wanted = rule.succeededIndexes === undefined ? undefined : parseIndexes(rule.succeededIndexes);
  const counted = wanted === undefined ? done.size : [...wanted].filter((index) => done.has(index)).length;
  return counted >= (rule.succeededCount ?? wanted?.size ?? Number.POSITIVE_INFINITY);
}
