import type { Pod } from "pintle/kinds/core/v1";
import type { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { expect, test } from "vitest";
import { computeDisruptionStatus } from "./status.ts";

const TIME = "2026-01-01T00:00:00Z";
const NOW = Date.parse(TIME);
const pods = (ready: number, unready: number) =>
  Array.from({ length: ready + unready }, (_, i) => ({
    metadata: { name: `p-${i}` },
    status: { phase: "Running", conditions: [{ type: "Ready", status: i < ready ? "True" : "False" }] },
  })) as unknown as Pod[];
const budget = (spec: object, status: object = {}) => ({ metadata: { generation: 1 }, spec, status }) as unknown as PodDisruptionBudget;

test.each([
  ["a minAvailable number", { minAvailable: 2 }, pods(3, 0), 3, [1, 3, 2, 3]],
  ["fewer healthy pods than minAvailable", { minAvailable: 2 }, pods(1, 2), 3, [0, 1, 2, 3]],
  ["a minAvailable percentage", { minAvailable: "50%" }, pods(3, 0), 3, [1, 3, 2, 3]],
  ["a maxUnavailable number", { maxUnavailable: 1 }, pods(3, 0), 5, [0, 3, 4, 5]],
  ["a maxUnavailable percentage", { maxUnavailable: "30%" }, pods(5, 0), 5, [2, 5, 3, 5]],
  ["no pods", { minAvailable: 0 }, [], 0, [0, 0, 0, 0]],
])("computes the status for %s", (_, spec, members, expected, [allowed, healthy, desired, total]) => {
  expect(computeDisruptionStatus(budget(spec), members, expected, NOW, TIME).status).toMatchObject({
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: total,
  });
});

test("counts an eviction until the pod is deleted or two minutes have passed", () => {
  const evicted = budget(
    { minAvailable: 1 },
    { disruptedPods: { "p-0": "2025-12-31T23:59:00Z", "p-1": "2025-12-31T23:57:00Z", gone: TIME } },
  );
  const { status, requeueAfter } = computeDisruptionStatus(evicted, pods(3, 0), 3, NOW, TIME);
  expect(status.disruptedPods).toEqual({ "p-0": "2025-12-31T23:59:00Z" });
  expect(status.disruptionsAllowed).toBe(1);
  expect(requeueAfter).toBe(60_000);
});
