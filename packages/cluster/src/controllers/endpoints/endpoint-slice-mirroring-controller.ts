import { type EndpointAddress, Endpoints, Service } from "pintle/kinds/core/v1";
import { type Endpoint, EndpointSlice } from "pintle/kinds/discovery/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { getObjectKey, splitObjectKey } from "../shared/object-key.ts";
import { buildControllerRef } from "../shared/owner-reference.ts";
import { applyEndpointSlicePlan, type EndpointGroup, MANAGED_BY_LABEL, planEndpointSlices, SERVICE_NAME_LABEL } from "./endpoint-slices.ts";
import { TRIGGER_TIME_ANNOTATION } from "./trigger-time-tracker.ts";

const MANAGED_BY_VALUE = "endpointslicemirroring-controller.k8s.io";
const SKIP_MIRROR_LABEL = "endpointslice.kubernetes.io/skip-mirror";
const LAST_APPLIED_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
const ENDPOINTS_INDEX = "slices of endpoints";
const getEndpointsKeys = ({ metadata: { labels = {}, namespace } }: EndpointSlice) =>
  labels[MANAGED_BY_LABEL] === MANAGED_BY_VALUE && labels[SERVICE_NAME_LABEL] !== undefined
    ? [`${namespace}/${labels[SERVICE_NAME_LABEL]}`]
    : [];

/** Starts the controller that mirrors manually managed Endpoints as EndpointSlices. */
export function startEndpointSliceMirroringController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const services = cache.watch(Service);
  const all = cache.watch(Endpoints);
  const slices = cache.watch(EndpointSlice);
  slices.addIndex(ENDPOINTS_INDEX, getEndpointsKeys);
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }) => sync(key) });
  const enqueue = (object: Service | Endpoints) => work.add(getObjectKey(object));
  services.addEventHandler(({ old, new: current }) => enqueue((current ?? old)!));
  all.addEventHandler(({ old, new: current }) => enqueue((current ?? old)!));
  slices.addEventHandler(({ old, new: current }) => {
    for (const key of getEndpointsKeys((current ?? old)!)) work.add(key);
  });

  const sync = async (key: string): Promise<undefined> => {
    const { namespace, name } = splitObjectKey(key);
    const service = services.get({ name, namespace });
    const source = all.get({ name, namespace });
    const existing = slices.byIndex(ENDPOINTS_INDEX, key);
    const mirrored =
      service !== undefined &&
      service.spec.selector === undefined &&
      source !== undefined &&
      source.metadata.labels?.[SKIP_MIRROR_LABEL] !== "true";
    if (!mirrored) return applyEndpointSlicePlan(client, { create: [], replace: [], remove: existing }) as Promise<undefined>;
    const { [SKIP_MIRROR_LABEL]: _, ...labels } = source.metadata.labels ?? {};
    const { [LAST_APPLIED_ANNOTATION]: __, [TRIGGER_TIME_ANNOTATION]: ___, ...annotations } = source.metadata.annotations ?? {};
    const common = {
      service: source,
      owner: buildControllerRef(Endpoints, source),
      labels: { ...labels, [SERVICE_NAME_LABEL]: name, [MANAGED_BY_LABEL]: MANAGED_BY_VALUE },
      annotations,
    };
    await applyEndpointSlicePlan(client, planEndpointSlices(common, buildGroups(source), existing));
  };
  return createQueueComponent("endpointslice-mirroring-controller", work, [services, all, slices]);
}

function buildGroups({ subsets = [] }: Endpoints): readonly EndpointGroup[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const shared = ports.map(({ name = "", port, protocol = "TCP", appProtocol }) => ({
      name,
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    }));
    const endpoints = [
      ...addresses.map((address) => buildEndpoint(address, true)),
      ...notReadyAddresses.map((address) => buildEndpoint(address, false)),
    ];
    return (["IPv4", "IPv6"] as const).flatMap((addressType) => {
      const ofFamily = endpoints.filter(({ addresses: [ip = ""] }) => ip.includes(":") === (addressType === "IPv6"));
      return ofFamily.length === 0 ? [] : [{ addressType, ports: shared, endpoints: ofFamily }];
    });
  });
}

function buildEndpoint({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    ...(targetRef === undefined ? {} : { targetRef }),
  };
}
