import { canonicalJson } from "pintle/internal/merge";
import type { Node, Pod, Service } from "pintle/kinds/core/v1";
import type { Endpoint, EndpointPort, EndpointSlice } from "pintle/kinds/discovery/v1";
import { isPodReady } from "../shared/pod-readiness.ts";
import type { EndpointGroup } from "./endpoint-slices.ts";
import { getEndpointHostname, resolveTargetPort, shouldIncludePod } from "./service-pods.ts";

const ZONE_LABEL = "topology.kubernetes.io/zone";

/** Groups the endpoints of a Service by their ports. A Service without endpoints gets an empty group per address family. Pure. */
export function buildEndpointGroups(
  service: Service,
  pods: readonly Pod[],
  nodeOf: (name: string) => Node | undefined,
): readonly EndpointGroup[] {
  return (service.spec.ipFamilies ?? ["IPv4"]).flatMap((family) => {
    const addressType = family as EndpointSlice["addressType"];
    const groups = new Map<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }>();
    for (const pod of pods) {
      if (!shouldIncludePod(pod, true)) continue;
      const addresses = (pod.status.podIPs ?? []).flatMap(({ ip }) =>
        ip !== undefined && ip.includes(":") === (family === "IPv6") ? [ip] : [],
      );
      const ports = resolvePorts(service, pod);
      if (addresses.length === 0) continue;
      const key = canonicalJson(ports as never);
      const group = groups.get(key) ?? { ports, endpoints: [] };
      groups.set(key, group);
      group.endpoints.push(buildEndpoint(service, pod, addresses, nodeOf(pod.spec.nodeName ?? "")));
    }
    if (groups.size === 0) return [{ addressType, ports: [], endpoints: [] }];
    return [...groups.values()].map(({ ports, endpoints }) => ({ addressType, ports, endpoints }));
  });
}

function resolvePorts({ spec }: Service, pod: Pod): readonly EndpointPort[] {
  return (spec.ports ?? []).flatMap((port) => {
    const number = resolveTargetPort(pod, port);
    const { name = "", protocol = "TCP", appProtocol } = port;
    return number === undefined ? [] : [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function buildEndpoint(service: Service, pod: Pod, addresses: readonly string[], node: Node | undefined): Endpoint {
  const serving = isPodReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const { name, namespace, uid } = pod.metadata;
  const hostname = getEndpointHostname(pod, service);
  const zone = node?.metadata.labels?.[ZONE_LABEL];
  return {
    addresses,
    conditions: { ready, serving, terminating },
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
    ...(hostname === undefined ? {} : { hostname }),
  };
}
