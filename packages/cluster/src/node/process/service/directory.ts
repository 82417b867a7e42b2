import type { View } from "pintle/cache";
import type { Service } from "pintle/kinds/core/v1";
import type { EndpointSlice } from "pintle/kinds/discovery/v1";

export interface Backend {
  readonly address: string;
  readonly port: number;
}

/** Where services and the pods behind them are. */
export interface Directory {
  readonly services: View<Service>;
  readonly slices: View<EndpointSlice>;
  /** Ready pods behind a port of a service; where none is ready, those that still serve while they end. */
  backends(service: Service, portName: string | undefined): readonly Backend[];
  /** The addresses of a name, as seen from a namespace; undefined when there is no such name. */
  lookup(name: string, namespace: string): readonly string[] | undefined;
}

const SERVICE = "kubernetes.io/service-name";
const BY_SERVICE = "by service";

export interface DirectoryFacts {
  readonly services: View<Service>;
  readonly slices: View<EndpointSlice>;
  /** The address a named pod of a headless service will have, where that can be known before there is one. */
  promised?(host: string, service: string, namespace: string): string | undefined;
}

export function directory({ services, slices, promised }: DirectoryFacts): Directory {
  slices.index(BY_SERVICE, ({ metadata }) => {
    const name = metadata.labels?.[SERVICE];
    return name === undefined ? [] : [`${metadata.namespace}/${name}`];
  });
  const slicesOf = ({ metadata }: Service) => slices.by(BY_SERVICE, `${metadata.namespace}/${metadata.name}`);
  const ready = (service: Service) => {
    const all = slicesOf(service).flatMap(({ endpoints }) => endpoints ?? []);
    const fit = all.filter(({ conditions }) => conditions?.ready !== false);
    return service.spec.publishNotReadyAddresses === true ? all : fit;
  };
  const hostsOf = (service: Service, host: string): readonly string[] | undefined => {
    const all = slicesOf(service).flatMap(({ endpoints }) => endpoints ?? []);
    const found = all.filter(({ hostname }) => hostname === host).flatMap(({ addresses }) => addresses);
    if (found.length > 0) return found;
    const address = promised?.(host, service.metadata.name, service.metadata.namespace);
    return address === undefined ? undefined : [address];
  };
  const addressesOf = (service: Service): readonly string[] => {
    const { clusterIP, type } = service.spec;
    if (type === "ExternalName") return [];
    if (clusterIP !== undefined && clusterIP !== "" && clusterIP !== "None") return [clusterIP];
    return ready(service).flatMap(({ addresses }) => addresses);
  };
  const find = (name: string | undefined, namespace: string | undefined) =>
    name === undefined || namespace === undefined ? undefined : services.get({ name, namespace });

  return {
    services,
    slices,
    backends(service, portName) {
      const inSlices = slicesOf(service).flatMap(({ endpoints, ports = [] }) => {
        const port = ports.find(({ name }) => (name ?? "") === (portName ?? ""))?.port;
        return port === undefined ? [] : (endpoints ?? []).map((endpoint) => ({ endpoint, port }));
      });
      const fit = inSlices.filter(({ endpoint }) => endpoint.conditions?.ready !== false);
      const last = inSlices.filter(({ endpoint }) => endpoint.conditions?.serving === true && endpoint.conditions.terminating === true);
      return (fit.length > 0 ? fit : last).map(({ endpoint, port }) => ({ address: endpoint.addresses[0]!, port }));
    },
    lookup(name, namespace) {
      const labels = name
        .toLowerCase()
        .replace(/\.$/, "")
        .replace(/\.cluster\.local$/, "")
        .split(".");
      const isFull = labels.at(-1) === "svc";
      const [a, b, c, d] = isFull ? labels.slice(0, -1) : labels;
      if (a === undefined || d !== undefined) return undefined;
      if (c !== undefined) return hostIn(find(b, c), a);
      if (b === undefined) return isFull ? undefined : foundOf(find(a, namespace));
      return foundOf(find(a, b)) ?? (isFull ? undefined : hostIn(find(b, namespace), a));
    },
  };
  function foundOf(service: Service | undefined) {
    return service === undefined ? undefined : addressesOf(service);
  }
  function hostIn(service: Service | undefined, host: string) {
    return service === undefined ? undefined : hostsOf(service, host);
  }
}
