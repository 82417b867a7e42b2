import type { StatefulSet } from "pintle/kinds/apps/v1";
import type { Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { statefulSetStep } from "./step.ts";

const NOW = Date.parse("2026-01-01T00:01:00Z");
const set = (spec: object = {}, status: object = {}) =>
  ({ metadata: { name: "db", namespace: "a" }, spec: { replicas: 3, ...spec }, status }) as unknown as StatefulSet;
/** "0" is ready, "0?" is not, "0x" is going, "0!" failed; "0@new" has another revision. */
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
const look = (of: StatefulSet, pods: string, update = "old") => {
  const step = statefulSetStep(of, pods.split(" ").filter(Boolean).map(pod), { current: "old", update }, NOW);
  return [
    ...step.create.map(({ ordinal, revision }) => `+${ordinal}@${revision}`),
    ...step.remove.map(({ metadata }) => `-${metadata.name.slice(3)}`),
  ].join(" ");
};

describe("in order", () => {
  test.each([
    ["the first", "", "+0@old"],
    ["waits for the first", "0?", ""],
    ["then the second", "0", "+1@old"],
    ["fills a gap", "0 2", "+1@old"],
    ["waits for one that goes", "0x 1 2", ""],
    ["replaces one that failed", "0! 1 2", "-0"],
    ["takes the last of too many", "0 1 2 3 4", "-4"],
    ["not while another is sick", "0 1? 2 3", ""],
    ["one at a time", "0 1 2 3 4x", ""],
    ["at rest", "0 1 2", ""],
  ])("%s", (_, pods, expected) => expect(look(set(), pods)).toBe(expected));
});

describe("rolling out", () => {
  test.each([
    ["from the last", {}, "0 1 2", "-2"],
    ["waits for the new one", {}, "0 1 2?@new", ""],
    ["goes on", {}, "0 1 2@new", "-1"],
    ["only above the partition", { updateStrategy: { rollingUpdate: { partition: 2 } } }, "0 1 2@new", ""],
    ["when asked to", { updateStrategy: { type: "OnDelete" } }, "0 1 2", ""],
    ["two at a time", { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }, "0 1 2", "-2 -1"],
    ["below the partition as it was", { updateStrategy: { rollingUpdate: { partition: 2 } } }, "1 2@new", "+0@old"],
    ["above it as it will be", { updateStrategy: { rollingUpdate: { partition: 2 } } }, "0 1", "+2@new"],
  ])("%s", (_, spec, pods, expected) => expect(look(set(spec), pods, "new")).toBe(expected));
});

describe("in parallel", () => {
  const parallel = { podManagementPolicy: "Parallel" };
  test.each([
    ["all at once", "", "+0@old +1@old +2@old"],
    ["whatever the others do", "0? 2x", "+1@old"],
    ["all that are too many", "0 1 2 3 4", "-4 -3"],
  ])("%s", (_, pods, expected) => expect(look(set(parallel), pods)).toBe(expected));
});

test("ordinals may start elsewhere", () => {
  expect(look(set({ ordinals: { start: 5 } }), "4 5 6 7")).toBe("-4");
});

test("a ready pod becomes available in its time", () => {
  const step = statefulSetStep(set({ minReadySeconds: 30 }), [pod("0")], { current: "old", update: "old" }, NOW);
  expect(step).toEqual({ create: [], remove: [], again: 20_000 });
});
