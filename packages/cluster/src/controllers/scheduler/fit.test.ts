import type { Node, Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { misfit, unschedulableAnywhere, unschedulableMessage } from "./fit.ts";
import { ledger, shareOf } from "./ledger.ts";

const pod = (spec: object = {}, resources: object = {}, ports: object[] = []) =>
  ({
    metadata: { name: "p", namespace: "a", uid: "p" },
    spec: { containers: [{ name: "c", resources, ports }], ...spec },
    status: {},
  }) as unknown as Pod;
const node = (spec: object = {}, labels: Record<string, string> = {}) =>
  ({ metadata: { name: "n", labels }, spec, status: { allocatable: { cpu: "4", memory: "8Gi", pods: "2" } } }) as unknown as Node;

describe("what keeps a pod from a node", () => {
  const full = ledger();
  full.put("x", "n", pod({}, { requests: { cpu: "3" } }, [{ containerPort: 80, hostPort: 80 }]));
  const crowded = ledger();
  for (const uid of ["x", "y"]) crowded.put(uid, "n", pod());
  test.each([
    ["nothing", pod(), node(), ledger(), undefined],
    ["a cordon", pod(), node({ unschedulable: true }), ledger(), ["node(s) were unschedulable"]],
    ["a taint", pod(), node({ taints: [{ key: "a", effect: "NoSchedule" }] }), ledger(), ["node(s) had untolerated taint(s)"]],
    [
      "no taint it bears",
      pod({ tolerations: [{ operator: "Exists" }] }),
      node({ taints: [{ key: "a", effect: "NoExecute" }] }),
      ledger(),
      undefined,
    ],
    ["no mere preference", pod(), node({ taints: [{ key: "a", effect: "PreferNoSchedule" }] }), ledger(), undefined],
    [
      "its selector",
      pod({ nodeSelector: { disk: "ssd" } }),
      node({}, { disk: "hdd" }),
      ledger(),
      ["node(s) didn't match Pod's node affinity/selector"],
    ],
    ["too little", pod({}, { requests: { cpu: "2", memory: "1Gi" } }), node(), full, ["Insufficient cpu"]],
    [
      "a port",
      pod({}, {}, [{ containerPort: 8080, hostPort: 80 }]),
      node(),
      full,
      ["node(s) didn't have free ports for the requested pod ports"],
    ],
    ["a crowd", pod(), node(), crowded, ["Too many pods"]],
  ])("%s", (_, asking, on, booked, expected) => {
    expect(misfit(asking, shareOf(asking), on, booked.taken("n"))?.reasons).toEqual(expected);
  });
});

test("what was booked is given back", () => {
  const booked = ledger();
  booked.put("x", "n", pod({}, { requests: { cpu: "3" } }));
  booked.put("x", "m", pod({}, { requests: { cpu: "3" } }));
  expect([booked.taken("n").pods, booked.taken("m").pods]).toEqual([0, 1]);
  booked.remove("x");
  expect(booked.taken("m").of("cpu")).toBe(0n);
});

test("the message counts and sorts", () => {
  const tainted = { reasons: ["node(s) had untolerated taint(s)"], hopeless: true };
  const short = { reasons: ["Insufficient cpu", "Insufficient memory"], hopeless: false };
  expect(unschedulableMessage([tainted, short, short])).toBe(
    "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu, 2 Insufficient memory. no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
  );
  expect(unschedulableMessage([])).toBe("no nodes available to schedule pods");
  expect(unschedulableAnywhere(2, 'persistentvolumeclaim "x" not found')).toBe(
    '0/2 nodes are available: persistentvolumeclaim "x" not found. not found',
  );
});
