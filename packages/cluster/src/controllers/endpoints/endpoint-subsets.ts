import { canonicalJson } from "pintle/internal/merge";
import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from "pintle/kinds/core/v1";
import { isPodReady } from "../shared/pod-readiness.ts";
import { getEndpointHostname, isHeadless, resolveTargetPort, shouldIncludePod } from "./service-pods.ts";

interface SubsetMember {
  readonly address: EndpointAddress;
  readonly ready: boolean;
  readonly ports: EndpointPort[];
}

/** Builds the subsets of a Service's Endpoints: addresses with the same ports share a subset. Pure. */
export function buildSubsets(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const { publishNotReadyAddresses = false, ports = [] } = service.spec;
  const members = pods
    .filter((pod) => shouldIncludePod(pod, publishNotReadyAddresses))
    .flatMap((pod): readonly SubsetMember[] => {
      const found = ports.flatMap((port) => {
        const number = resolveTargetPort(pod, port);
        return number === undefined
          ? []
          : [
              {
                ...omitEmptyName(port.name),
                port: number,
                protocol: port.protocol ?? "TCP",
                ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
              } as EndpointPort,
            ];
      });
      if (found.length === 0 && !(ports.length === 0 && isHeadless(service))) return [];
      return [{ address: buildAddress(service, pod), ready: publishNotReadyAddresses || isPodReady(pod), ports: found }];
    });
  const subsets = new Map<string, { readonly ports: readonly EndpointPort[]; readonly members: SubsetMember[] }>();
  for (const member of members) {
    const sorted = [...member.ports].sort((a, b) => (canonicalJson(a as never) < canonicalJson(b as never) ? -1 : 1));
    const key = canonicalJson(sorted as never);
    const subset = subsets.get(key) ?? { ports: sorted, members: [] };
    subsets.set(key, subset);
    subset.members.push(member);
  }
  return [...subsets.values()].map(({ ports: shared, members: all }) => {
    const listAddresses = (ready: boolean) =>
      all
        .filter((member) => member.ready === ready)
        .map(({ address }) => address)
        .sort(compareAddresses);
    const [ready, waiting] = [listAddresses(true), listAddresses(false)];
    return {
      ...(ready.length === 0 ? {} : { addresses: ready }),
      ...(waiting.length === 0 ? {} : { notReadyAddresses: waiting }),
      ...(shared.length === 0 ? {} : { ports: shared }),
    };
  });
}

const omitEmptyName = (name: string | undefined) => (name === undefined || name === "" ? {} : { name });
const compareAddresses = (a: EndpointAddress, b: EndpointAddress) => (a.ip < b.ip ? -1 : 1);

function buildAddress(service: Service, pod: Pod): EndpointAddress {
  const { name, namespace, uid } = pod.metadata;
  const hostname = getEndpointHostname(pod, service);
  return {
    ip: pod.status.podIP ?? "",
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(hostname === undefined ? {} : { hostname }),
  };
}
