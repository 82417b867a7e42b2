import type { Lease } from "pintle/kinds/coordination/v1";
import type { Node } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { buildUnknownConditions, computeTaints, getUnreachableAt, observeHeartbeat } from "./node-health.ts";

const node = (ready: string | undefined, taints: object[] = [], unschedulable?: boolean) =>
  ({
    metadata: { name: "n", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { taints, unschedulable },
    status: { conditions: ready === undefined ? [] : [{ type: "Ready", status: ready }] },
  }) as unknown as Node;
const lease = (renewTime: string) => ({ spec: { renewTime } }) as unknown as Lease;
const keys = (taints: readonly { key: string; effect: string }[] | undefined) =>
  taints?.map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`);

test.each([
  ["ready", node("True"), undefined],
  ["ready after a failure", node("True", [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]), []],
  ["not ready", node("False"), ["not-ready:NoSchedule", "not-ready:NoExecute"]],
  ["unreachable", node("Unknown"), ["unreachable:NoSchedule", "unreachable:NoExecute"]],
  ["cordoned", node("True", [], true), ["unschedulable:NoSchedule"]],
  [
    "not ready, with a taint of another owner",
    node("False", [{ key: "mine", effect: "NoExecute" }]),
    ["mine:NoExecute", "not-ready:NoSchedule", "not-ready:NoExecute"],
  ],
])("computes the taints of a node that is %s", (_, of, expected) => expect(keys(computeTaints(of, "now"))).toEqual(expected));

test("counts a heartbeat from when it is observed", () => {
  const first = observeHeartbeat(node("True"), lease("a"), undefined, 1_000);
  expect(observeHeartbeat(node("True"), lease("a"), first, 9_000)).toBe(first);
  expect(observeHeartbeat(node("True"), lease("b"), first, 9_000).observedAt).toBe(9_000);
  expect(getUnreachableAt(node("True"), lease("a"), first)).toBe(51_000);
  expect(getUnreachableAt(node(undefined), undefined, first)).toBe(61_000);
});

test("sets the conditions of an unreachable node to Unknown once", () => {
  const conditions = buildUnknownConditions(node("True"), "now")!;
  expect(conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual([
    ["Ready", "Unknown", "NodeStatusUnknown"],
    ["MemoryPressure", "Unknown", "NodeStatusNeverUpdated"],
    ["DiskPressure", "Unknown", "NodeStatusNeverUpdated"],
    ["PIDPressure", "Unknown", "NodeStatusNeverUpdated"],
  ]);
  expect(buildUnknownConditions({ ...node("True"), status: { conditions: conditions } } as never, "later")).toBeUndefined();
});
