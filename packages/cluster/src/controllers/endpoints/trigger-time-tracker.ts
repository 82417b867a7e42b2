import type { Pod, Service } from "pintle/kinds/core/v1";
import { getObjectKey } from "../shared/object-key.ts";

export const TRIGGER_TIME_ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time";

interface ServiceState {
  readonly pods: ReadonlyMap<string, string>;
  readonly service: string;
}

/** Creates the tracker of the last-change-trigger-time: the earliest change of a Service or its pods since the previous sync. */
export function createTriggerTimeTracker() {
  const states = new Map<string, ServiceState>();
  return {
    computeTriggerTime(service: Service, pods: readonly Pod[]): string | undefined {
      const key = getObjectKey(service);
      const before = states.get(key);
      const times = new Map(pods.flatMap((pod) => getReadyTime(pod)));
      const changed = [...times].filter(([name, time]) => time > (before?.pods.get(name) ?? "")).map(([, time]) => time);
      const createdAt = service.metadata.creationTimestamp;
      if (createdAt > (before?.service ?? "")) changed.push(createdAt);
      states.set(key, { pods: times, service: createdAt });
      return changed.sort()[0];
    },
    deleteService: (key: string) => void states.delete(key),
  };
}

function getReadyTime({ metadata, status }: Pod): readonly (readonly [string, string])[] {
  const time = status.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  return time === undefined ? [] : [[metadata.name, time]];
}
