import type { StatefulSet } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { planStatefulSet } from "./plan.ts";

const NOW = Date.parse("2026-01-01T00:01:00Z");
const set = (spec: object = {}, status: object = {}) =>
  ({ metadata: { name: "db", namespace: "a" }, spec: { replicas: 3, ...spec }, status }) as unknown as StatefulSet;
/** "0" is ready, "0?" is not, "0x" is terminating, "0!" failed; "0@new" has another revision. */
const pod = (text: string) => {
  const [, ordinal, mark, revision = "old"] = /^(\d+)([?x!]?)(?:@(.*))?$/.exec(text)!;
  return {
    metadata: {
      name: `db-${ordinal}`,
      labels: { "controller-revision-hash": revision },
      ...(mark === "x" ? { deletionTimestamp: "2026-01-01T00:00:59Z" } : {}),
    },
    status: {
      phase: mark === "!" ? "Failed" : "Running",
      conditions: [{ type: "Ready", status: mark === "" ? "True" : "False", lastTransitionTime: "2026-01-01T00:00:50Z" }],
    },
  } as unknown as Pod;
};
const planOf = (of: StatefulSet, pods: string, update = "old") => {
  const plan = planStatefulSet(of, pods.split(" ").filter(Boolean).map(pod), { current: "old", update }, NOW);
  return [
    ...plan.create.map(({ ordinal, revision }) => `+${ordinal}@${revision}`),
    ...plan.remove.map(({ metadata }) => `-${metadata.name.slice(3)}`),
  ].join(" ");
};

describe("ordered pod management", () => {
  test.each([
    ["the first pod", "", "+0@old"],
    ["nothing while the first pod is not ready", "0?", ""],
    ["the second pod when the first is ready", "0", "+1@old"],
    ["a missing ordinal", "0 2", "+1@old"],
    ["nothing while a pod is terminating", "0x 1 2", ""],
    ["the deletion of a failed pod", "0! 1 2", "-0"],
    ["the deletion of the last surplus pod", "0 1 2 3 4", "-4"],
    ["no scale-down while another pod is unavailable", "0 1? 2 3", ""],
    ["no second deletion while one is running", "0 1 2 3 4x", ""],
    ["nothing for a complete set", "0 1 2", ""],
  ])("plans %s", (_, pods, expected) => expect(planOf(set(), pods)).toBe(expected));
});

describe("a rolling update", () => {
  test.each([
    ["the last ordinal first", {}, "0 1 2", "-2"],
    ["nothing while the updated pod is not ready", {}, "0 1 2?@new", ""],
    ["the next ordinal when the updated pod is ready", {}, "0 1 2@new", "-1"],
    ["no update below the partition", { updateStrategy: { rollingUpdate: { partition: 2 } } }, "0 1 2@new", ""],
    ["no update with OnDelete", { updateStrategy: { type: "OnDelete" } }, "0 1 2", ""],
    ["two updates with maxUnavailable 2", { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }, "0 1 2", "-2 -1"],
    ["the current revision below the partition", { updateStrategy: { rollingUpdate: { partition: 2 } } }, "1 2@new", "+0@old"],
    ["the update revision above the partition", { updateStrategy: { rollingUpdate: { partition: 2 } } }, "0 1", "+2@new"],
  ])("plans %s", (_, spec, pods, expected) => expect(planOf(set(spec), pods, "new")).toBe(expected));
});

describe("parallel pod management", () => {
  const parallel = { podManagementPolicy: "Parallel" };
  test.each([
    ["all missing pods", "", "+0@old +1@old +2@old"],
    ["missing pods regardless of the others", "0? 2x", "+1@old"],
    ["the deletion of all surplus pods", "0 1 2 3 4", "-4 -3"],
  ])("plans %s", (_, pods, expected) => expect(planOf(set(parallel), pods)).toBe(expected));
});

test("respects a start ordinal", () => {
  expect(planOf(set({ ordinals: { start: 5 } }), "4 5 6 7")).toBe("-4");
});

test("requeues when a ready pod becomes available", () => {
  const plan = planStatefulSet(set({ minReadySeconds: 30 }), [pod("0")], { current: "old", update: "old" }, NOW);
  expect(plan).toEqual({ create: [], remove: [], requeueAfter: 20_000 });
});
