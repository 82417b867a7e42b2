import type { Pod, Service } from "pintle/kinds/core/v1";

export const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

interface Known {
  readonly pods: ReadonlyMap<string, string>;
  readonly service: string;
}

/** Remembers when services and their pods last changed: the earliest change since the last look is what endpoints tell. */
export function triggerTimes() {
  const known = new Map<string, Known>();
  return {
    of(service: Service, pods: readonly Pod[]): string | undefined {
      const key = `${service.metadata.namespace}/${service.metadata.name}`;
      const before = known.get(key);
      const times = new Map(pods.flatMap((pod) => readyTime(pod)));
      const changed = [...times].filter(([name, time]) => time > (before?.pods.get(name) ?? "")).map(([, time]) => time);
      const born = service.metadata.creationTimestamp;
      if (born > (before?.service ?? "")) changed.push(born);
      known.set(key, { pods: times, service: born });
      return changed.sort()[0];
    },
    forget: (key: string) => void known.delete(key),
  };
}

function readyTime({ metadata, status }: Pod): readonly (readonly [string, string])[] {
  const time = status.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  return time === undefined ? [] : [[metadata.name, time]];
}
