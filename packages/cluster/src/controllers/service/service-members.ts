import type { View } from "pintle/cache";
import { labelSelector } from "pintle/cache";
import type { Pod, Service } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";
import { isReady } from "../pod.ts";
import { selecting } from "../selecting.ts";

interface Watching {
  readonly services: View<Service>;
  readonly pods: View<Pod>;
  /** Called with "namespace/name" of every service whose pods changed, or that changed itself. */
  wake(service: string): void;
}

const INDEX = "services by selector";
const selectorOf = ({ spec }: Service) =>
  spec.selector === undefined || Object.keys(spec.selector).length === 0 ? undefined : { matchLabels: spec.selector };

/** The pods of a service; from now on whoever asks is woken when they change in a way that others can see. */
export function serviceMembers({ services, pods, wake }: Watching): (service: Service) => readonly Pod[] {
  pods.index(LABELLED, labelsOf);
  const choosing = selecting(services, INDEX, selectorOf);
  const keyOf = ({ metadata }: Service) => `${metadata.namespace}/${metadata.name}`;
  services.on(({ old, new: seen }) => wake(keyOf((seen ?? old)!)));
  pods.on(({ old, new: seen }) => {
    if (!services.isSynced) return;
    const concerned = new Set<Service>();
    for (const pod of [old, seen]) {
      if (pod !== undefined) for (const service of choosing(pod.metadata.labels, pod.metadata.namespace)) concerned.add(service);
    }
    if (concerned.size === 0 || (old !== undefined && seen !== undefined && lookOf(old) === lookOf(seen))) return;
    for (const service of concerned) wake(keyOf(service));
  });
  return ({ metadata, spec }) => {
    const wanted = labelSelector({ matchLabels: spec.selector ?? {} });
    const [first] = Object.entries(spec.selector ?? {});
    if (first === undefined) return [];
    return pods.by(LABELLED, `${metadata.namespace}/${first[0]}=${first[1]}`).filter((pod) => wanted.matches(pod.metadata.labels));
  };
}

const LABELLED = "pods by label";
const labelsOf = ({ metadata }: Pod) =>
  Object.entries(metadata.labels ?? {}).map(([name, value]) => `${metadata.namespace}/${name}=${value}`);

/** What of a pod its endpoints show. */
function lookOf({ metadata, spec, status }: Pod): string {
  const { labels = {}, deletionTimestamp = "" } = metadata;
  const ready = isReady({ metadata, spec, status } as Pod);
  return canonical([status.podIP ?? "", status.phase ?? "", ready, deletionTimestamp, spec.nodeName ?? "", labels] as never);
}
