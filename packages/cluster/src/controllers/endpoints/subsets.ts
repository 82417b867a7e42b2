import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";
import { isReady } from "../pod.ts";
import { hostnameOf, isHeadless, isReachable, targetPort } from "../service/members.ts";

interface Member {
  readonly address: EndpointAddress;
  readonly ready: boolean;
  readonly ports: EndpointPort[];
}

/** The subsets of a service's Endpoints: addresses with the same ports stand together. Pure. */
export function subsetsOf(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const { publishNotReadyAddresses = false, ports = [] } = service.spec;
  const members = pods
    .filter((pod) => isReachable(pod, publishNotReadyAddresses))
    .flatMap((pod): readonly Member[] => {
      const found = ports.flatMap((port) => {
        const number = targetPort(pod, port);
        return number === undefined
          ? []
          : [
              {
                ...named(port.name),
                port: number,
                protocol: port.protocol ?? "TCP",
                ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
              } as EndpointPort,
            ];
      });
      if (found.length === 0 && !(ports.length === 0 && isHeadless(service))) return [];
      return [{ address: addressOf(service, pod), ready: publishNotReadyAddresses || isReady(pod), ports: found }];
    });
  const subsets = new Map<string, { readonly ports: readonly EndpointPort[]; readonly members: Member[] }>();
  for (const member of members) {
    const sorted = [...member.ports].sort((a, b) => (canonical(a as never) < canonical(b as never) ? -1 : 1));
    const key = canonical(sorted as never);
    const subset = subsets.get(key) ?? { ports: sorted, members: [] };
    subsets.set(key, subset);
    subset.members.push(member);
  }
  return [...subsets.values()].map(({ ports: shared, members: all }) => {
    const sorted = (ready: boolean) =>
      all
        .filter((member) => member.ready === ready)
        .map(({ address }) => address)
        .sort(byAddress);
    const [ready, waiting] = [sorted(true), sorted(false)];
    return {
      ...(ready.length === 0 ? {} : { addresses: ready }),
      ...(waiting.length === 0 ? {} : { notReadyAddresses: waiting }),
      ...(shared.length === 0 ? {} : { ports: shared }),
    };
  });
}

const named = (name: string | undefined) => (name === undefined || name === "" ? {} : { name });
const byAddress = (a: EndpointAddress, b: EndpointAddress) => (a.ip < b.ip ? -1 : 1);

function addressOf(service: Service, pod: Pod): EndpointAddress {
  const { name, namespace, uid } = pod.metadata;
  const hostname = hostnameOf(pod, service);
  return {
    ip: pod.status.podIP ?? "",
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(hostname === undefined ? {} : { hostname }),
  };
}
