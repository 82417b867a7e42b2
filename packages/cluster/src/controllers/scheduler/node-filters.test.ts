import type { Node, Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { filterNode, formatUnschedulable, formatUnschedulablePod } from "./node-filters.ts";
import { computePodRequests, createSchedulerCache } from "./scheduler-cache.ts";

const pod = (spec: object = {}, resources: object = {}, ports: object[] = []) =>
  ({
    metadata: { name: "p", namespace: "a", uid: "p" },
    spec: { containers: [{ name: "c", resources, ports }], ...spec },
    status: {},
  }) as unknown as Pod;
const node = (spec: object = {}, labels: Record<string, string> = {}) =>
  ({ metadata: { name: "n", labels }, spec, status: { allocatable: { cpu: "4", memory: "8Gi", pods: "2" } } }) as unknown as Node;

describe("the node filters", () => {
  const full = createSchedulerCache();
  full.addPod("x", "n", pod({}, { requests: { cpu: "3" } }, [{ containerPort: 80, hostPort: 80 }]));
  const fullCache = createSchedulerCache();
  for (const uid of ["x", "y"]) fullCache.addPod(uid, "n", pod());
  test.each([
    ["a node that fits", pod(), node(), createSchedulerCache(), undefined],
    ["an unschedulable node", pod(), node({ unschedulable: true }), createSchedulerCache(), ["node(s) were unschedulable"]],
    [
      "a taint",
      pod(),
      node({ taints: [{ key: "a", effect: "NoSchedule" }] }),
      createSchedulerCache(),
      ["node(s) had untolerated taint(s)"],
    ],
    [
      "a tolerated taint",
      pod({ tolerations: [{ operator: "Exists" }] }),
      node({ taints: [{ key: "a", effect: "NoExecute" }] }),
      createSchedulerCache(),
      undefined,
    ],
    ["a PreferNoSchedule taint", pod(), node({ taints: [{ key: "a", effect: "PreferNoSchedule" }] }), createSchedulerCache(), undefined],
    [
      "a node selector that does not match",
      pod({ nodeSelector: { disk: "ssd" } }),
      node({}, { disk: "hdd" }),
      createSchedulerCache(),
      ["node(s) didn't match Pod's node affinity/selector"],
    ],
    ["insufficient resources", pod({}, { requests: { cpu: "2", memory: "1Gi" } }), node(), full, ["Insufficient cpu"]],
    [
      "a host port in use",
      pod({}, {}, [{ containerPort: 8080, hostPort: 80 }]),
      node(),
      full,
      ["node(s) didn't have free ports for the requested pod ports"],
    ],
    ["a full node", pod(), node(), fullCache, ["Too many pods"]],
  ])("handle %s", (_, waitingPod, on, cache, expected) => {
    expect(filterNode(waitingPod, computePodRequests(waitingPod), on, cache.getNodeInfo("n"))?.reasons).toEqual(expected);
  });
});

test("releases the requests of a removed pod", () => {
  const cache = createSchedulerCache();
  cache.addPod("x", "n", pod({}, { requests: { cpu: "3" } }));
  cache.addPod("x", "m", pod({}, { requests: { cpu: "3" } }));
  expect([cache.getNodeInfo("n").pods, cache.getNodeInfo("m").pods]).toEqual([0, 1]);
  cache.removePod("x");
  expect(cache.getNodeInfo("m").requested("cpu")).toBe(0n);
});

test("counts and sorts the reasons in the message", () => {
  const tainted = { reasons: ["node(s) had untolerated taint(s)"], isUnresolvable: true };
  const short = { reasons: ["Insufficient cpu", "Insufficient memory"], isUnresolvable: false };
  expect(formatUnschedulable([tainted, short, short])).toBe(
    "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu, 2 Insufficient memory. no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
  );
  expect(formatUnschedulable([])).toBe("no nodes available to schedule pods");
  expect(formatUnschedulablePod(2, 'persistentvolumeclaim "x" not found')).toBe(
    '0/2 nodes are available: persistentvolumeclaim "x" not found. not found',
  );
});
