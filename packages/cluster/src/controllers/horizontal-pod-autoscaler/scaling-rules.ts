import type { HorizontalPodAutoscaler } from "pintle/kinds/autoscaling/v2";

type Behavior = NonNullable<HorizontalPodAutoscaler["spec"]["behavior"]>;
type ScalingRules = NonNullable<Behavior["scaleUp"]>;

/** State of an autoscaler that the controller keeps between two passes. */
export interface ScalingHistory {
  /** Proposed numbers of replicas. */
  readonly recommendations: TimedValue[];
  /** Numbers of added and removed replicas. */
  readonly scaledUp: TimedValue[];
  readonly scaledDown: TimedValue[];
}
interface TimedValue {
  readonly at: number;
  readonly value: number;
}

export function createScalingHistory(currentReplicas: number, now: number): ScalingHistory {
  return { recommendations: [{ at: now, value: currentReplicas }], scaledUp: [], scaledDown: [] };
}

/** The limits of an autoscaler, the current replicas and the proposed ones. */
export interface ScalingInput {
  readonly current: number;
  readonly proposed: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: Behavior | undefined;
}

/** The replicas after stabilization and limits, with reasons and messages for AbleToScale and ScalingLimited. */
export interface LimitedReplicas {
  readonly replicas: number;
  readonly stabilized: ScalingReason;
  readonly limited: ScalingReason & { readonly isLimited: boolean };
}
interface ScalingReason {
  readonly reason: string;
  readonly message: string;
}

const DOWNSCALE_STABILIZATION_WINDOW = 5 * 60;
const READY: ScalingReason = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const DOWN_STABILIZED: ScalingReason = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const UP_STABILIZED: ScalingReason = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const WITHIN_RANGE: ScalingReason = { reason: "DesiredWithinRange", message: "the desired count is within the acceptable range" };
const TOO_FEW: ScalingReason = { reason: "TooFewReplicas", message: "the desired replica count is less than the minimum replica count" };
const TOO_MANY: ScalingReason = { reason: "TooManyReplicas", message: "the desired replica count is more than the maximum replica count" };
const UP_TOO_FAST: ScalingReason = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const DOWN_TOO_FAST: ScalingReason = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};

/** Stabilizes and limits the proposed replicas, and adds the proposal to the history. */
export function limitReplicas(input: ScalingInput, history: ScalingHistory, now: number): LimitedReplicas {
  const { behavior, proposed } = input;
  const upWindow = behavior === undefined ? 0 : (behavior.scaleUp?.stabilizationWindowSeconds ?? 0);
  const downWindow = behavior?.scaleDown?.stabilizationWindowSeconds ?? DOWNSCALE_STABILIZATION_WINDOW;
  const stabilized =
    behavior === undefined ? stabilizeDown(proposed, history, now) : stabilizeReplicas(input, history, now, upWindow, downWindow);
  addRecent(history.recommendations, { at: now, value: proposed }, now - Math.max(upWindow, downWindow) * 1000);
  const { replicas, limit } = behavior === undefined ? limitByRange(input, stabilized) : limitByBehavior(input, stabilized, history, now);
  const direction = behavior === undefined || proposed < input.current ? DOWN_STABILIZED : UP_STABILIZED;
  return {
    replicas,
    stabilized: stabilized === proposed ? READY : direction,
    limited: { ...limit, isLimited: replicas !== stabilized },
  };
}

/** Adds a change of the replicas to the history, which the policies of a behavior count. */
export function recordScaling(
  behavior: Behavior | undefined,
  history: ScalingHistory,
  { from, to, now }: { readonly from: number; readonly to: number; readonly now: number },
): void {
  if (behavior === undefined) return;
  const [changes, rules] = to > from ? [history.scaledUp, behavior.scaleUp] : [history.scaledDown, behavior.scaleDown];
  const longest = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds));
  addRecent(changes, { at: now, value: Math.abs(to - from) }, now - longest * 1000);
}

/** Adds a value and removes those before the cutoff. */
function addRecent(values: TimedValue[], value: TimedValue, cutoff: number): void {
  const recent = values.filter(({ at }) => at >= cutoff);
  values.splice(0, values.length, ...recent, value);
}

function stabilizeDown(proposed: number, { recommendations }: ScalingHistory, now: number): number {
  const cutoff = now - DOWNSCALE_STABILIZATION_WINDOW * 1000;
  return Math.max(proposed, ...recommendations.filter(({ at }) => at >= cutoff).map(({ value }) => value));
}

function stabilizeReplicas(
  { current, proposed }: ScalingInput,
  { recommendations }: ScalingHistory,
  now: number,
  upWindow: number,
  downWindow: number,
): number {
  const since = (seconds: number) => recommendations.filter(({ at }) => at > now - seconds * 1000).map(({ value }) => value);
  const lowest = Math.min(proposed, ...since(upWindow));
  const highest = Math.max(proposed, ...since(downWindow));
  return Math.min(Math.max(current, lowest), highest);
}

function limitByRange({ current, min, max }: ScalingInput, desired: number): { readonly replicas: number; readonly limit: ScalingReason } {
  const fastest = Math.max(2 * current, 4);
  const [upper, limit] = max > fastest ? [fastest, UP_TOO_FAST] : [max, TOO_MANY];
  if (desired < min) return { replicas: min, limit: TOO_FEW };
  return desired > upper ? { replicas: upper, limit } : { replicas: desired, limit: WITHIN_RANGE };
}

function limitByBehavior(
  { current, min, max, behavior }: ScalingInput,
  desired: number,
  history: ScalingHistory,
  now: number,
): { readonly replicas: number; readonly limit: ScalingReason } {
  if (desired > current) {
    const fastest = Math.max(current, computeRateLimit(behavior?.scaleUp, "up", current, history, now));
    const [upper, limit] = max > fastest ? [fastest, UP_TOO_FAST] : [max, TOO_MANY];
    if (desired > upper) return { replicas: upper, limit };
  } else if (desired < current) {
    const fastest = Math.min(current, computeRateLimit(behavior?.scaleDown, "down", current, history, now));
    const [lower, limit] = min < fastest ? [fastest, DOWN_TOO_FAST] : [min, TOO_FEW];
    if (desired < lower) return { replicas: lower, limit };
  }
  return { replicas: desired, limit: WITHIN_RANGE };
}

/** Returns how far the policies allow to scale now: each counts from the replicas at the start of its period. */
function computeRateLimit(
  rules: ScalingRules | undefined,
  direction: "up" | "down",
  current: number,
  history: ScalingHistory,
  now: number,
): number {
  const selectPolicy = rules?.selectPolicy ?? "Max";
  if (selectPolicy === "Disabled") return current;
  const limits = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const since = (changes: readonly TimedValue[]) =>
      changes.filter(({ at }) => at > now - periodSeconds * 1000).reduce((sum, change) => sum + change.value, 0);
    const atStart = current - since(history.scaledUp) + since(history.scaledDown);
    if (type === "Pods") return direction === "up" ? atStart + value : atStart - value;
    return direction === "up" ? Math.ceil(atStart * (1 + value / 100)) : Math.trunc(atStart * (1 - value / 100));
  });
  return (selectPolicy === "Min") === (direction === "up") ? Math.min(...limits) : Math.max(...limits);
}
