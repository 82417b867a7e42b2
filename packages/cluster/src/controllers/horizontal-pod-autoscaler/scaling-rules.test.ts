import { describe, expect, test } from "vitest";
import { createScalingHistory, limitReplicas, recordScaling, type ScalingInput } from "./scaling-rules.ts";

const MINUTE = 60_000;
const input = (current: number, proposed: number, more: Partial<ScalingInput> = {}): ScalingInput => ({
  current,
  proposed,
  min: 1,
  max: 100,
  behavior: undefined,
  ...more,
});

describe("without a behavior", () => {
  test("scales up at most to twice the replicas, or four", () => {
    const { replicas, limited } = limitReplicas(input(1, 10), createScalingHistory(1, 0), 0);
    expect([replicas, limited.reason, limited.isLimited]).toEqual([4, "ScaleUpLimit", true]);
    expect(limitReplicas(input(6, 20), createScalingHistory(6, 0), 0).replicas).toBe(12);
  });

  test("stays within the minimum and the maximum", () => {
    const over = limitReplicas(input(3, 9, { max: 5 }), createScalingHistory(3, 0), 0);
    expect([over.replicas, over.limited.reason]).toEqual([5, "TooManyReplicas"]);
    const under = limitReplicas(input(3, 1, { min: 2 }), createScalingHistory(3, -10 * MINUTE), 0);
    expect([under.replicas, under.limited.reason]).toEqual([2, "TooFewReplicas"]);
  });

  test("scales down to the highest recommendation of the last five minutes", () => {
    const history = createScalingHistory(8, 0);
    const early = limitReplicas(input(8, 2), history, MINUTE);
    expect([early.replicas, early.stabilized.reason]).toEqual([8, "ScaleDownStabilized"]);
    const late = limitReplicas(input(8, 3), history, 5 * MINUTE + 1);
    expect([late.replicas, late.stabilized.reason]).toEqual([3, "ReadyForNewScale"]);
  });
});

describe("with a behavior", () => {
  const policy = (type: "Pods" | "Percent", value: number, periodSeconds = 60) => ({ type, value, periodSeconds });
  const behavior = (rules: object) =>
    ({
      scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies: [policy("Pods", 4), policy("Percent", 100)], ...rules },
      scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies: [policy("Percent", 100)], ...rules },
    }) as NonNullable<ScalingInput["behavior"]>;

  test.each([
    ["Max", 10, 20],
    ["Min", 10, 14],
    ["Disabled", 10, 10],
  ] as const)("scales up by the policy %s selects", (selectPolicy, current, expected) => {
    const rules = behavior({});
    const chosen = { ...rules, scaleUp: { ...rules.scaleUp!, selectPolicy } };
    expect(limitReplicas(input(current, 50, { behavior: chosen }), createScalingHistory(current, 0), 0).replicas).toBe(expected);
  });

  test.each([
    ["Max", 5],
    ["Min", 8],
  ] as const)("scales down by the policy %s selects", (selectPolicy, expected) => {
    const rules = {
      ...behavior({}),
      scaleDown: { selectPolicy, stabilizationWindowSeconds: 0, policies: [policy("Pods", 2), policy("Percent", 50)] },
    };
    const { replicas, limited } = limitReplicas(input(10, 1, { behavior: rules }), createScalingHistory(10, 0), 0);
    expect([replicas, limited.reason]).toEqual([expected, "ScaleDownLimit"]);
  });

  test("counts the changes within the period of a policy", () => {
    const rules = { ...behavior({}), scaleUp: { selectPolicy: "Max", stabilizationWindowSeconds: 0, policies: [policy("Pods", 4)] } };
    const history = createScalingHistory(10, 0);
    recordScaling(rules, history, { from: 10, to: 13, now: 0 });
    expect(limitReplicas(input(13, 50, { behavior: rules }), history, 30_000).replicas).toBe(14);
    expect(limitReplicas(input(13, 50, { behavior: rules }), history, 60_000).replicas).toBe(17);
  });

  test("scales up to the lowest recommendation of the window", () => {
    const rules = { ...behavior({}), scaleUp: { ...behavior({}).scaleUp!, stabilizationWindowSeconds: 60 } };
    const history = createScalingHistory(2, 0);
    const { replicas, stabilized } = limitReplicas(input(2, 4, { behavior: rules }), history, 30_000);
    expect([replicas, stabilized.reason]).toEqual([2, "ScaleUpStabilized"]);
    expect(limitReplicas(input(2, 4, { behavior: rules }), history, 60_001).replicas).toBe(4);
  });
});
