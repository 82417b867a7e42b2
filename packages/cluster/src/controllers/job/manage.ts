import type { Job } from "pintle/kinds/batch/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { isReady } from "../pod.ts";
import { delayed, nextPodAt } from "./backoff.ts";
import { failurePolicy } from "./failure-policy.ts";
import { endOf, hasFailed, indexOf, isGoing, isIndexed, isOver } from "./pod-facts.ts";
import { failuresBefore, type Tally } from "./tally.ts";

/** A pod to make: of which index, after how many failures of that index. */
export interface Wanted {
  readonly index?: number | undefined;
  readonly failures?: number | undefined;
}

export interface Management {
  readonly create: readonly Wanted[];
  readonly remove: readonly Pod[];
  /** When more pods may come, where failures hold them back. Milliseconds since the epoch. */
  readonly later: number | undefined;
}

/** Which pods a job that is not decided lacks, and which it has too many of. Pure. */
export function manage(job: Job, pods: readonly Pod[], tally: Tally, now: number): Management {
  const { spec } = job;
  const active = pods.filter((pod) => !isOver(pod) && !isGoing(pod));
  if (spec.suspend) return { create: [], remove: active, later: undefined };
  const { parallelism = 1, completions } = spec;
  const wanted =
    completions === undefined
      ? tally.succeeded > 0
        ? active.length
        : parallelism
      : Math.max(0, Math.min(completions - tally.succeeded, parallelism));
  const twice = isIndexed(job) ? superfluous(active, tally, completions ?? 0) : [];
  const rest = active.filter((pod) => !twice.includes(pod)).sort(removalOrder);
  const surplus = rest.slice(0, Math.max(0, rest.length - wanted));
  const remove = [...twice, ...surplus];
  if (remove.length > 0) return { create: [], remove, later: undefined };

  // Pods that are still going hold their place where the job waits to see how they end.
  const going = pods.filter((pod) => isGoing(pod) && !isOver(pod) && !hasFailed(job, pod)).length;
  const missing = wanted - active.length - going;
  if (missing <= 0) return { create: [], remove: [], later: undefined };
  if (isIndexed(job) && spec.backoffLimitPerIndex !== undefined) return byIndex(job, pods, active, tally, missing, now);
  const at = nextPodAt(job, pods, now);
  if (at > now) return { create: [], remove: [], later: at };
  if (!isIndexed(job)) return { create: Array.from({ length: missing }, () => ({})), remove: [], later: undefined };
  const indexes = openIndexes(job, active, tally).slice(0, missing);
  return { create: indexes.map((index) => ({ index })), remove: [], later: undefined };
}

/** Every index waits for its own failures. */
function byIndex(job: Job, pods: readonly Pod[], active: readonly Pod[], tally: Tally, missing: number, now: number): Management {
  const create: Wanted[] = [];
  let later: number | undefined;
  for (const index of openIndexes(job, active, tally)) {
    const lost = pods.filter((pod) => indexOf(pod) === index && hasFailed(job, pod));
    const counted = lost.filter((pod) => failurePolicy(job, pod)?.action !== "Ignore");
    const failures = counted.length === 0 ? 0 : Math.max(...counted.map(failuresBefore)) + 1;
    const at = failures === 0 ? 0 : delayed(Math.max(...counted.map((pod) => endOf(pod, now))), failures);
    if (at > now) later = Math.min(later ?? Number.POSITIVE_INFINITY, at);
    else if (create.length < missing) create.push({ index, failures });
  }
  return { create, remove: [], later };
}

function openIndexes({ spec }: Job, active: readonly Pod[], { succeededIndexes, failedIndexes }: Tally): readonly number[] {
  const busy = new Set(active.map(indexOf));
  return Array.from({ length: spec.completions ?? 0 }, (_, i) => i).filter(
    (i) => !busy.has(i) && !succeededIndexes.has(i) && !failedIndexes.has(i),
  );
}

/** Pods of indexes that are done, given up, out of range, or already have a pod. */
function superfluous(active: readonly Pod[], { succeededIndexes, failedIndexes }: Tally, completions: number): readonly Pod[] {
  const busy = new Set<number>();
  return [...active].sort(byAge).filter((pod) => {
    const index = indexOf(pod);
    if (index === undefined || index >= completions || succeededIndexes.has(index) || failedIndexes.has(index) || busy.has(index))
      return true;
    busy.add(index);
    return false;
  });
}

const byAge = (a: Pod, b: Pod) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1);

/** Who goes first: unassigned, not running, not ready, youngest. */
function removalOrder(a: Pod, b: Pod): number {
  const assigned = ({ spec }: Pod) => (spec.nodeName ? 1 : 0);
  const running = ({ status }: Pod) => (status.phase === "Running" ? 1 : 0);
  return assigned(a) - assigned(b) || running(a) - running(b) || Number(isReady(a)) - Number(isReady(b)) || -byAge(a, b);
}
