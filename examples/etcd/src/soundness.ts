import type { Pod } from "pintle/kinds/core/v1";
import type { EtcdCluster } from "./etcd-cluster.ts";
import type { Report } from "./gateway.ts";

export interface Soundness {
  /** By member: why it is better replaced, though it answers. */
  judge(
    cluster: EtcdCluster,
    pods: readonly Pod[],
    reports: ReadonlyMap<string, Report | undefined>,
    now: number,
  ): ReadonlyMap<string, string>;
}

const MANY_RESTARTS = 5;
const RECENTLY = 10 * 60_000;
const SLOW = 1_000;
const SLOWER = 10;
const TIMES = 8;

/** Flapping is in the pod's status; slowness is counted here, and by an operator that starts anew from the beginning. */
export function soundness(): Soundness {
  const slow = new Map<string, number>();
  return {
    judge({ metadata: { uid } }, pods, reports, now) {
      const unsound = new Map<string, string>();
      for (const pod of pods) if (isFlapping(pod, now)) unsound.set(pod.metadata.name, "it ends again and again");
      for (const [name, report] of reports) {
        const key = `${uid}/${name}`;
        const others = [...reports].flatMap(([other, { took } = { took: SLOW }]) => (other === name ? [] : took));
        const isSlow =
          report !== undefined && report.took > SLOW && others.length > 1 && others.every((took) => report.took > SLOWER * took);
        const times = isSlow ? (slow.get(key) ?? 0) + 1 : 0;
        if (times === 0) slow.delete(key);
        else slow.set(key, times);
        if (times >= TIMES) unsound.set(name, "it is much slower than the others");
      }
      return unsound;
    },
  };
}

function isFlapping({ status: { containerStatuses = [] } }: Pod, now: number): boolean {
  return containerStatuses.some(({ restartCount, lastState }) => {
    const ended = lastState?.terminated?.finishedAt;
    return restartCount >= MANY_RESTARTS && ended !== undefined && now - Date.parse(ended) < RECENTLY;
  });
}
