import type { Lease } from "pintle/kinds/coordination/v1";
import type { Node } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { hear, lostAt, lostConditions } from "./health.ts";
import { taintsOf } from "./taints.ts";

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
  ["ready again", node("True", [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]), []],
  ["not ready", node("False"), ["not-ready:NoSchedule", "not-ready:NoExecute"]],
  ["silent", node("Unknown"), ["unreachable:NoSchedule", "unreachable:NoExecute"]],
  ["cordoned", node("True", [], true), ["unschedulable:NoSchedule"]],
  [
    "others' taints stay",
    node("False", [{ key: "mine", effect: "NoExecute" }]),
    ["mine:NoExecute", "not-ready:NoSchedule", "not-ready:NoExecute"],
  ],
])("taints: %s", (_, of, expected) => expect(keys(taintsOf(of, "now"))).toEqual(expected));

test("a sign of life counts from when it is seen", () => {
  const first = hear(node("True"), lease("a"), undefined, 1_000);
  expect(hear(node("True"), lease("a"), first, 9_000)).toBe(first);
  expect(hear(node("True"), lease("b"), first, 9_000).at).toBe(9_000);
  expect(lostAt(node("True"), lease("a"), first)).toBe(51_000);
  expect(lostAt(node(undefined), undefined, first)).toBe(61_000);
});

test("a lost node leaves its conditions unknown, once", () => {
  const lost = lostConditions(node("True"), "now")!;
  expect(lost.map(({ type, status, reason }) => [type, status, reason])).toEqual([
    ["Ready", "Unknown", "NodeStatusUnknown"],
    ["MemoryPressure", "Unknown", "NodeStatusNeverUpdated"],
    ["DiskPressure", "Unknown", "NodeStatusNeverUpdated"],
    ["PIDPressure", "Unknown", "NodeStatusNeverUpdated"],
  ]);
  expect(lostConditions({ ...node("True"), status: { conditions: lost } } as never, "later")).toBeUndefined();
});
