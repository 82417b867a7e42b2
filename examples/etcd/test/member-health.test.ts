import type { Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import type { EtcdCluster } from "../src/etcd-cluster.ts";
import type { MemberStatus } from "../src/gateway.ts";
import { createHealthTracker } from "../src/member-health.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const cluster = { metadata: { uid: "c" } } as EtcdCluster;
const reports = (...latencies: readonly number[]) => new Map(latencies.map((ms, i) => [`e-${i + 1}`, { latencyMs: ms } as MemberStatus]));
const restartedPod = (times: number, minutesAgo: number): Pod => {
  const finishedAt = new Date(NOW - minutesAgo * 60_000).toISOString();
  return {
    metadata: { name: "e-1" },
    status: { containerStatuses: [{ restartCount: times, lastState: { terminated: { exitCode: 2, finishedAt } } }] },
  } as unknown as Pod;
};

test.each([
  ["accepts a single restart", restartedPod(1, 1), false],
  ["reports repeated restarts", restartedPod(5, 1), true],
  ["ignores repeated restarts long ago", restartedPod(5, 60), false],
])("%s", (_, pod, isUnhealthy) => {
  expect(
    createHealthTracker()
      .evaluate(cluster, [pod], reports(5, 5, 5), NOW)
      .has("e-1"),
  ).toBe(isUnhealthy);
});

test("reports a member after several slow responses, and a fast response resets the count", () => {
  const tracker = createHealthTracker();
  const unhealthy = (...latencies: readonly number[]) => [...tracker.evaluate(cluster, [], reports(...latencies), NOW).keys()];
  for (let i = 0; i < 7; i++) expect(unhealthy(2_000, 5, 5)).toEqual([]);
  expect(unhealthy(2_000, 5, 5)).toEqual(["e-1"]);
  expect(unhealthy(20, 5, 5)).toEqual([]);
  expect(unhealthy(2_000, 5, 5)).toEqual([]);
});

test("reports no member if all are slow", () => {
  const tracker = createHealthTracker();
  for (let i = 0; i < 20; i++) expect([...tracker.evaluate(cluster, [], reports(3_000, 2_000, 2_500), NOW)]).toEqual([]);
});
