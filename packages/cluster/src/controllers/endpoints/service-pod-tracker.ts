import type { CachedView } from "pintle/internal/cache";
import { canonicalJson } from "pintle/internal/merge";
import { compileLabelSelector } from "pintle/internal/selectors";
import type { Pod, Service } from "pintle/kinds/core/v1";
import { getObjectKey } from "../shared/object-key.ts";
import { isPodReady } from "../shared/pod-readiness.ts";
import { indexBySelector } from "../shared/selector-index.ts";

interface TrackerOptions {
  readonly services: CachedView<Service>;
  readonly pods: CachedView<Pod>;
  /** Called with the "namespace/name" of every Service that changed, or whose pods did. */
  enqueue(service: string): void;
}

const SERVICE_SELECTOR_INDEX = "services by selector";
const selectorOf = ({ spec }: Service) =>
  spec.selector === undefined || Object.keys(spec.selector).length === 0 ? undefined : { matchLabels: spec.selector };

/** Enqueues a Service when it or its pods change in a way that endpoints show. Returns the lookup of a Service's pods. */
export function trackServicePods({ services, pods, enqueue }: TrackerOptions): (service: Service) => readonly Pod[] {
  pods.addIndex(POD_LABEL_INDEX, getLabelKeys);
  const findServices = indexBySelector(services, SERVICE_SELECTOR_INDEX, selectorOf);
  services.addEventHandler(({ old, new: current }) => enqueue(getObjectKey((current ?? old)!)));
  pods.addEventHandler(({ old, new: current }) => {
    if (!services.isSynced) return;
    const affected = new Set<Service>();
    for (const pod of [old, current]) {
      if (pod !== undefined) for (const service of findServices(pod.metadata.labels, pod.metadata.namespace)) affected.add(service);
    }
    if (affected.size === 0 || (old !== undefined && current !== undefined && getEndpointFields(old) === getEndpointFields(current)))
      return;
    for (const service of affected) enqueue(getObjectKey(service));
  });
  return ({ metadata, spec }) => {
    const matcher = compileLabelSelector({ matchLabels: spec.selector ?? {} });
    const [first] = Object.entries(spec.selector ?? {});
    if (first === undefined) return [];
    return pods
      .byIndex(POD_LABEL_INDEX, `${metadata.namespace}/${first[0]}=${first[1]}`)
      .filter((pod) => matcher.matches(pod.metadata.labels));
  };
}

const POD_LABEL_INDEX = "pods by label";
const getLabelKeys = ({ metadata }: Pod) =>
  Object.entries(metadata.labels ?? {}).map(([name, value]) => `${metadata.namespace}/${name}=${value}`);

/** Serializes the fields of a pod that its endpoints show. */
function getEndpointFields({ metadata, spec, status }: Pod): string {
  const { labels = {}, deletionTimestamp = "" } = metadata;
  const ready = isPodReady({ metadata, spec, status } as Pod);
  return canonicalJson([status.podIP ?? "", status.phase ?? "", ready, deletionTimestamp, spec.nodeName ?? "", labels] as never);
}
