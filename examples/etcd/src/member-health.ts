import type { Pod } from "pintle/kinds/core/v1";
import type { EtcdCluster } from "./etcd-cluster.ts";
import type { MemberStatus } from "./gateway.ts";

export interface HealthTracker {
  /** Returns, by member, the reason why a responding member should be replaced. */
  evaluate(
    cluster: EtcdCluster,
    pods: readonly Pod[],
    reports: ReadonlyMap<string, MemberStatus | undefined>,
    now: number,
  ): ReadonlyMap<string, string>;
}

const MANY_RESTARTS = 5;
const FLAPPING_WINDOW_MS = 10 * 60_000;
const SLOW_LATENCY_MS = 1_000;
const SLOWNESS_FACTOR = 10;
const SLOW_OBSERVATIONS = 8;

/** Detects restarts from the pod status and slowness from consecutive observations, which an operator restart resets. */
export function createHealthTracker(): HealthTracker {
  const slowCounts = new Map<string, number>();
  return {
    evaluate({ metadata: { uid } }, pods, reports, now) {
      const unhealthy = new Map<string, string>();
      for (const pod of pods) if (isFlapping(pod, now)) unhealthy.set(pod.metadata.name, "restarts repeatedly");
      for (const [name, report] of reports) {
        const key = `${uid}/${name}`;
        const others = [...reports].flatMap(([other, { latencyMs } = { latencyMs: SLOW_LATENCY_MS }]) => (other === name ? [] : latencyMs));
        const isSlow =
          report !== undefined &&
          report.latencyMs > SLOW_LATENCY_MS &&
          others.length > 1 &&
          others.every((latencyMs) => report.latencyMs > SLOWNESS_FACTOR * latencyMs);
        const times = isSlow ? (slowCounts.get(key) ?? 0) + 1 : 0;
        if (times === 0) slowCounts.delete(key);
        else slowCounts.set(key, times);
        if (times >= SLOW_OBSERVATIONS) unhealthy.set(name, "is much slower than the other members");
      }
      return unhealthy;
    },
  };
}

function isFlapping({ status: { containerStatuses = [] } }: Pod, now: number): boolean {
  return containerStatuses.some(({ restartCount, lastState }) => {
    const ended = lastState?.terminated?.finishedAt;
    return restartCount >= MANY_RESTARTS && ended !== undefined && now - Date.parse(ended) < FLAPPING_WINDOW_MS;
  });
}
