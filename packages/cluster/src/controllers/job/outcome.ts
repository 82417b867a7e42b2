import type { Job } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { isPodTerminating } from "../shared/pod-readiness.ts";
import { type CompletionIndexes, parseIndexes } from "./completion-indexes.ts";
import { matchPodFailurePolicy } from "./failure-policy.ts";
import { hasPodFailed } from "./job-pods.ts";
import type { JobPodCount } from "./pod-count.ts";

/** The outcome of a Job, as soon as it is known. Its pods may still run. */
export interface JobOutcome {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
}

/** Computes whether and how the Job is decided. Pure. */
export function computeJobOutcome(job: Job, pods: readonly Pod[], tally: JobPodCount, now: number): JobOutcome | undefined {
  const decided = job.status.conditions?.find(
    ({ type, status }) => (type === "SuccessCriteriaMet" || type === "FailureTarget") && status === "True",
  );
  if (decided !== undefined)
    return { type: decided.type as JobOutcome["type"], reason: decided.reason ?? "", message: decided.message ?? "" };
  return computeFailure(job, pods, tally, now) ?? computeSuccess(job, pods, tally);
}

const failure = (reason: string, message: string): JobOutcome => ({ type: "FailureTarget", reason, message });
const success = (reason: string, message: string): JobOutcome => ({ type: "SuccessCriteriaMet", reason, message });

function computeFailure(
  job: Job,
  pods: readonly Pod[],
  { failed: count, failedIndexes, succeededIndexes }: JobPodCount,
  now: number,
): JobOutcome | undefined {
  const { spec, status } = job;
  for (const pod of pods.filter((each) => hasPodFailed(job, each))) {
    const match = matchPodFailurePolicy(job, pod);
    if (match?.action === "FailJob") return failure("PodFailurePolicy", match.message);
  }
  if (count > (spec.backoffLimit ?? 6) || hasExceededRestartLimit(job, pods)) {
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

/** With restartPolicy OnFailure, container restarts count against the backoff limit. */
function hasExceededRestartLimit({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec?.restartPolicy !== "OnFailure") return false;
  const alive = pods.filter(({ status }) => status.phase === "Running" || status.phase === "Pending");
  const restarts = alive
    .flatMap(({ status }) => [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  const limit = spec.backoffLimit ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function computeSuccess({ spec }: Job, pods: readonly Pod[], { succeeded: count, succeededIndexes }: JobPodCount): JobOutcome | undefined {
  for (const [i, rule] of (spec.successPolicy?.rules ?? []).entries()) {
    if (matchesSuccessRule(rule, succeededIndexes)) return success("SuccessPolicy", `Matched rules at index ${i}`);
  }
  const active = pods.some((pod) => !isPodTerminating(pod) && pod.status.phase !== "Succeeded" && pod.status.phase !== "Failed");
  // Without spec.completions, the first success means that no work is left; the other pods may finish theirs.
  const complete = spec.completions === undefined ? count > 0 && !active : count >= spec.completions;
  return complete ? success("CompletionsReached", "Reached expected number of succeeded pods") : undefined;
}

function matchesSuccessRule(
  rule: { readonly succeededIndexes?: string | undefined; readonly succeededCount?: number | undefined },
  done: CompletionIndexes,
): boolean {
  const required = rule.succeededIndexes === undefined ? undefined : parseIndexes(rule.succeededIndexes);
  const succeededCount = required === undefined ? done.size : [...required].filter((index) => done.has(index)).length;
  return succeededCount >= (rule.succeededCount ?? required?.size ?? Number.POSITIVE_INFINITY);
}
