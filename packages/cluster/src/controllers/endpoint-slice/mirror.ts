import { type EndpointAddress, Endpoints, Service } from "pintle/kinds/core/v1";
import { type Endpoint, EndpointSlice } from "pintle/kinds/discovery/v1";
import { queue } from "pintle/queue";
import { controlledBy } from "../owner.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { TRIGGER_TIME } from "../service/trigger-time.ts";
import { carryOut } from "./carry-out.ts";
import { type Group, MANAGED_BY, SERVICE_NAME, sliceStep } from "./slices.ts";

const NAME = "endpointslicemirroring-controller.k8s.io";
const SKIP = "endpointslice.kubernetes.io/skip-mirror";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const BY_ENDPOINTS = "slices of endpoints";
const endpointsOf = ({ metadata: { labels = {}, namespace } }: EndpointSlice) =>
  labels[MANAGED_BY] === NAME && labels[SERVICE_NAME] !== undefined ? [`${namespace}/${labels[SERVICE_NAME]}`] : [];

/** Shows Endpoints that somebody keeps by hand as EndpointSlices. */
export function endpointSliceMirrors({ client, cache, clock }: Plant): Part {
  const services = cache.watch(Service);
  const all = cache.watch(Endpoints);
  const slices = cache.watch(EndpointSlice);
  slices.index(BY_ENDPOINTS, endpointsOf);
  const work = queue({ clock, concurrency: 4, work: ({ key }) => attend(key) });
  const wake = ({ metadata }: Service | Endpoints) => work.add(`${metadata.namespace}/${metadata.name}`);
  services.on(({ old, new: seen }) => wake((seen ?? old)!));
  all.on(({ old, new: seen }) => wake((seen ?? old)!));
  slices.on(({ old, new: seen }) => {
    for (const key of endpointsOf((seen ?? old)!)) work.add(key);
  });

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const service = services.get({ name, namespace });
    const source = all.get({ name, namespace });
    const existing = slices.by(BY_ENDPOINTS, key);
    const mirrored =
      service !== undefined && service.spec.selector === undefined && source !== undefined && source.metadata.labels?.[SKIP] !== "true";
    if (!mirrored) return carryOut(client, { create: [], replace: [], remove: existing }) as Promise<undefined>;
    const { [SKIP]: _, ...labels } = source.metadata.labels ?? {};
    const { [LAST_APPLIED]: __, [TRIGGER_TIME]: ___, ...annotations } = source.metadata.annotations ?? {};
    const common = {
      service: source,
      owner: controlledBy(Endpoints, source),
      labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: NAME },
      annotations,
    };
    await carryOut(client, sliceStep(common, groupsOf(source), existing));
  };
  return queued("endpointslice-mirroring-controller", work, [services, all, slices]);
}

function groupsOf({ subsets = [] }: Endpoints): readonly Group[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const shared = ports.map(({ name = "", port, protocol = "TCP", appProtocol }) => ({
      name,
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    }));
    const endpoints = [
      ...addresses.map((address) => endpointOf(address, true)),
      ...notReadyAddresses.map((address) => endpointOf(address, false)),
    ];
    return (["IPv4", "IPv6"] as const).flatMap((addressType) => {
      const ofFamily = endpoints.filter(({ addresses: [ip = ""] }) => ip.includes(":") === (addressType === "IPv6"));
      return ofFamily.length === 0 ? [] : [{ addressType, ports: shared, endpoints: ofFamily }];
    });
  });
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    ...(targetRef === undefined ? {} : { targetRef }),
  };
}
