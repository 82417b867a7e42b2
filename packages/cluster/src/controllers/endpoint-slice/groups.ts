import type { Node, Pod, Service } from "pintle/kinds/core/v1";
import type { Endpoint, EndpointPort, EndpointSlice } from "pintle/kinds/discovery/v1";
import { canonical } from "pintle/merge";
import { isReady } from "../pod.ts";
import { hostnameOf, isReachable, targetPort } from "../service/members.ts";
import type { Group } from "./slices.ts";

const ZONE = "topology.kubernetes.io/zone";

/** The endpoints of a service, by the ports they have. A service without any still has an empty group per family. Pure. */
export function endpointGroups(service: Service, pods: readonly Pod[], nodeOf: (name: string) => Node | undefined): readonly Group[] {
  return (service.spec.ipFamilies ?? ["IPv4"]).flatMap((family) => {
    const addressType = family as EndpointSlice["addressType"];
    const groups = new Map<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }>();
    for (const pod of pods) {
      if (!isReachable(pod, true)) continue;
      const addresses = (pod.status.podIPs ?? []).flatMap(({ ip }) =>
        ip !== undefined && ip.includes(":") === (family === "IPv6") ? [ip] : [],
      );
      const ports = portsOf(service, pod);
      if (addresses.length === 0) continue;
      const key = canonical(ports as never);
      const group = groups.get(key) ?? { ports, endpoints: [] };
      groups.set(key, group);
      group.endpoints.push(endpointOf(service, pod, addresses, nodeOf(pod.spec.nodeName ?? "")));
    }
    if (groups.size === 0) return [{ addressType, ports: [], endpoints: [] }];
    return [...groups.values()].map(({ ports, endpoints }) => ({ addressType, ports, endpoints }));
  });
}

function portsOf({ spec }: Service, pod: Pod): readonly EndpointPort[] {
  return (spec.ports ?? []).flatMap((port) => {
    const number = targetPort(pod, port);
    const { name = "", protocol = "TCP", appProtocol } = port;
    return number === undefined ? [] : [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function endpointOf(service: Service, pod: Pod, addresses: readonly string[], node: Node | undefined): Endpoint {
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const { name, namespace, uid } = pod.metadata;
  const hostname = hostnameOf(pod, service);
  const zone = node?.metadata.labels?.[ZONE];
  return {
    addresses,
    conditions: { ready, serving, terminating },
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
    ...(hostname === undefined ? {} : { hostname }),
  };
}
