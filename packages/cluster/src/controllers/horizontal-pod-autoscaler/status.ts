import type { HorizontalPodAutoscalerCondition } from "pintle/kinds/autoscaling/v2";

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
