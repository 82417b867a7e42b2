import { canonicalJson } from "pintle/internal/merge";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from "pintle/kinds/autoscaling/v2";
import { getErrorMessage } from "../workload/pod-control.ts";
import { MetricError } from "./pod-metrics.ts";
import type { ScaleTarget } from "./scale-target.ts";
import type { ScalingHistory } from "./scaling-rules.ts";

/** The conditions of an autoscaler during one pass. */
export interface ConditionList {
  set(type: string, status: "True" | "False", reason: string, message: string): void;
  readonly conditions: readonly HorizontalPodAutoscalerCondition[];
}

export function createConditionList(old: readonly HorizontalPodAutoscalerCondition[] | undefined, now: string): ConditionList {
  const byType = new Map((old ?? []).map((condition) => [condition.type, condition]));
  return {
    set(type, status, reason, message) {
      const before = byType.get(type);
      const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
      byType.set(type, { type, status, lastTransitionTime, reason, message });
    },
    get conditions() {
      return [...byType.values()];
    },
  };
}

export type RecordEvent = (type: "Normal" | "Warning", reason: string, message: string) => void;

/** One reconcile pass of an autoscaler whose target was found. */
export interface ScalingPass {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly key: string;
  readonly target: ScaleTarget;
  /** The replicas of the target. */
  readonly current: number;
  readonly history: ScalingHistory;
  readonly now: number;
  readonly conditions: ConditionList;
  readonly record: RecordEvent;
}

export function buildStatus(
  { autoscaler: { status }, current, conditions }: ScalingPass,
  desiredReplicas: number,
  currentMetrics: readonly MetricStatus[] | undefined,
  lastScaleTime = status.lastScaleTime,
): HorizontalPodAutoscalerStatus {
  return {
    ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    currentReplicas: current,
    desiredReplicas,
    currentMetrics: currentMetrics ?? (null as never),
    conditions: conditions.conditions,
  };
}

/** Reports a target whose scale cannot be read. Returns the status of the autoscaler. */
export function reportMissingScale(
  { status }: HorizontalPodAutoscaler,
  error: unknown,
  conditions: ConditionList,
  record: RecordEvent,
): HorizontalPodAutoscalerStatus {
  const message = error instanceof MetricError ? error.message : getErrorMessage(error);
  record("Warning", "FailedGetScale", message);
  conditions.set("AbleToScale", "False", "FailedGetScale", `the HPA controller was unable to get the target's current scale: ${message}`);
  const { currentMetrics = null as never, desiredReplicas = 0 } = status;
  return { ...status, currentMetrics, desiredReplicas, conditions: conditions.conditions };
}

/** Whether two statuses are the same in Go, where a missing list is an empty one. */
export function isSameStatus(a: HorizontalPodAutoscalerStatus, b: HorizontalPodAutoscalerStatus): boolean {
  const normalize = ({ currentMetrics, ...rest }: HorizontalPodAutoscalerStatus) =>
    canonicalJson({ ...rest, ...(currentMetrics?.length ? { currentMetrics } : {}) } as never);
  return normalize(a) === normalize(b);
}
