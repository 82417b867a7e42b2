import { Node, Pod, Service } from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { splitObjectKey } from "../shared/object-key.ts";
import { buildControllerRef } from "../shared/owner-reference.ts";
import { buildEndpointGroups } from "./endpoint-groups.ts";
import { applyEndpointSlicePlan, HEADLESS_LABEL, MANAGED_BY_LABEL, planEndpointSlices, SERVICE_NAME_LABEL } from "./endpoint-slices.ts";
import { trackServicePods } from "./service-pod-tracker.ts";
import { isHeadless } from "./service-pods.ts";
import { createTriggerTimeTracker, TRIGGER_TIME_ANNOTATION } from "./trigger-time-tracker.ts";

const MANAGED_BY_VALUE = "endpointslice-controller.k8s.io";
const RESERVED = new Set([SERVICE_NAME_LABEL, MANAGED_BY_LABEL, HEADLESS_LABEL]);
const SERVICE_INDEX = "slices of services";
const getServiceKeys = ({ metadata: { labels = {}, namespace } }: EndpointSlice) =>
  labels[MANAGED_BY_LABEL] === MANAGED_BY_VALUE && labels[SERVICE_NAME_LABEL] !== undefined
    ? [`${namespace}/${labels[SERVICE_NAME_LABEL]}`]
    : [];

/** Starts the controller that maintains the EndpointSlices of every Service with a selector. */
export function startEndpointSliceController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const services = cache.watch(Service);
  const pods = cache.watch(Pod);
  const nodes = cache.watch(Node);
  const slices = cache.watch(EndpointSlice);
  slices.addIndex(SERVICE_INDEX, getServiceKeys);
  const triggerTimes = createTriggerTimeTracker();
  const work = createWorkQueue({ clock, concurrency: 8, work: ({ key }) => sync(key) });
  const listPods = trackServicePods({ services, pods, enqueue: (key) => work.add(key) });
  slices.addEventHandler(({ old, new: current }) => {
    for (const key of getServiceKeys((current ?? old)!)) work.add(key);
  });

  const sync = async (key: string): Promise<undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const service = services.get({ name, namespace });
    if (service === undefined) return triggerTimes.deleteService(key) as undefined;
    if (service.spec.selector === undefined || service.spec.type === "ExternalName" || service.metadata.deletionTimestamp !== undefined)
      return;
    const selectedPods = listPods(service);
    const triggerTime = triggerTimes.computeTriggerTime(service, selectedPods);
    const copiedLabels = Object.fromEntries(Object.entries(service.metadata.labels ?? {}).filter(([label]) => !RESERVED.has(label)));
    const labels = {
      ...copiedLabels,
      ...(isHeadless(service) ? { [HEADLESS_LABEL]: "" } : {}),
      [SERVICE_NAME_LABEL]: name,
      [MANAGED_BY_LABEL]: MANAGED_BY_VALUE,
    };
    const annotations: Record<string, string> = triggerTime === undefined ? {} : { [TRIGGER_TIME_ANNOTATION]: triggerTime };
    const groups = buildEndpointGroups(service, selectedPods, (node) => nodes.get({ name: node }));
    await applyEndpointSlicePlan(
      client,
      planEndpointSlices(
        { service, owner: buildControllerRef(Service, service), labels, annotations },
        groups,
        slices.byIndex(SERVICE_INDEX, key),
      ),
    );
  };
  return createQueueComponent("endpointslice-controller", work, [services, pods, nodes, slices]);
}
