import type { Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import type { EtcdCluster } from "../src/etcd-cluster.ts";
import type { Report } from "../src/gateway.ts";
import { soundness } from "../src/soundness.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const cluster = { metadata: { uid: "c" } } as EtcdCluster;
const reports = (...took: readonly number[]) => new Map(took.map((ms, i) => [`e-${i + 1}`, { took: ms } as Report]));
const restarted = (times: number, minutesAgo: number): Pod => {
  const finishedAt = new Date(NOW - minutesAgo * 60_000).toISOString();
  return {
    metadata: { name: "e-1" },
    status: { containerStatuses: [{ restartCount: times, lastState: { terminated: { exitCode: 2, finishedAt } } }] },
  } as unknown as Pod;
};

test.each([
  ["it restarted once", restarted(1, 1), false],
  ["again and again", restarted(5, 1), true],
  ["again and again, but long ago", restarted(5, 60), false],
])("%s", (_, pod, isUnsound) => {
  expect(
    soundness()
      .judge(cluster, [pod], reports(5, 5, 5), NOW)
      .has("e-1"),
  ).toBe(isUnsound);
});

test("a member that is much slower than the others is unsound after a while, and a good answer clears it", () => {
  const sound = soundness();
  const judged = (...took: readonly number[]) => [...sound.judge(cluster, [], reports(...took), NOW).keys()];
  for (let i = 0; i < 7; i++) expect(judged(2_000, 5, 5)).toEqual([]);
  expect(judged(2_000, 5, 5)).toEqual(["e-1"]);
  expect(judged(20, 5, 5)).toEqual([]);
  expect(judged(2_000, 5, 5)).toEqual([]);
});

test("where all are slow, nobody is to blame", () => {
  const sound = soundness();
  for (let i = 0; i < 20; i++) expect([...sound.judge(cluster, [], reports(3_000, 2_000, 2_500), NOW)]).toEqual([]);
});
