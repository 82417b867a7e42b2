import type { CachedView } from "pintle/internal/cache";
import type { Service } from "pintle/kinds/core/v1";
import type { EndpointSlice } from "pintle/kinds/discovery/v1";

export interface ServiceBackend {
  readonly address: string;
  readonly port: number;
}

/** Resolves Services and their endpoints. */
export interface ServiceDirectory {
  readonly services: CachedView<Service>;
  readonly slices: CachedView<EndpointSlice>;
  /** Lists the ready endpoints of a service port; if none is ready, those that still serve while terminating. */
  listBackends(service: Service, portName: string | undefined): readonly ServiceBackend[];
  /** Resolves a name as seen from a namespace; undefined if it does not exist. */
  resolveName(name: string, namespace: string): readonly string[] | undefined;
}

const SERVICE_NAME_LABEL = "kubernetes.io/service-name";
const SERVICE_INDEX = "by service";

export interface ServiceDirectoryOptions {
  readonly services: CachedView<Service>;
  readonly slices: CachedView<EndpointSlice>;
  /** Returns the address that a named pod of a headless Service will have, if it can be reserved in advance. */
  reserveAddress?(host: string, service: string, namespace: string): string | undefined;
}

export function createServiceDirectory({ services, slices, reserveAddress }: ServiceDirectoryOptions): ServiceDirectory {
  slices.addIndex(SERVICE_INDEX, ({ metadata }) => {
    const name = metadata.labels?.[SERVICE_NAME_LABEL];
    return name === undefined ? [] : [`${metadata.namespace}/${name}`];
  });
  const listSlices = ({ metadata }: Service) => slices.byIndex(SERVICE_INDEX, `${metadata.namespace}/${metadata.name}`);
  const listReadyEndpoints = (service: Service) => {
    const all = listSlices(service).flatMap(({ endpoints }) => endpoints ?? []);
    const fit = all.filter(({ conditions }) => conditions?.ready !== false);
    return service.spec.publishNotReadyAddresses === true ? all : fit;
  };
  const resolveHost = (service: Service, host: string): readonly string[] | undefined => {
    const all = listSlices(service).flatMap(({ endpoints }) => endpoints ?? []);
    const found = all.filter(({ hostname }) => hostname === host).flatMap(({ addresses }) => addresses);
    if (found.length > 0) return found;
    const address = reserveAddress?.(host, service.metadata.name, service.metadata.namespace);
    return address === undefined ? undefined : [address];
  };
  const listAddresses = (service: Service): readonly string[] => {
    const { clusterIP, type } = service.spec;
    if (type === "ExternalName") return [];
    if (clusterIP !== undefined && clusterIP !== "" && clusterIP !== "None") return [clusterIP];
    return listReadyEndpoints(service).flatMap(({ addresses }) => addresses);
  };
  const findService = (name: string | undefined, namespace: string | undefined) =>
    name === undefined || namespace === undefined ? undefined : services.get({ name, namespace });

  return {
    services,
    slices,
    listBackends(service, portName) {
      const inSlices = listSlices(service).flatMap(({ endpoints, ports = [] }) => {
        const port = ports.find(({ name }) => (name ?? "") === (portName ?? ""))?.port;
        return port === undefined ? [] : (endpoints ?? []).map((endpoint) => ({ endpoint, port }));
      });
      const fit = inSlices.filter(({ endpoint }) => endpoint.conditions?.ready !== false);
      const last = inSlices.filter(({ endpoint }) => endpoint.conditions?.serving === true && endpoint.conditions.terminating === true);
      return (fit.length > 0 ? fit : last).map(({ endpoint, port }) => ({ address: endpoint.addresses[0]!, port }));
    },
    resolveName(name, namespace) {
      const labels = name
        .toLowerCase()
        .replace(/\.$/, "")
        .replace(/\.cluster\.local$/, "")
        .split(".");
      const isFull = labels.at(-1) === "svc";
      const [a, b, c, d] = isFull ? labels.slice(0, -1) : labels;
      if (a === undefined || d !== undefined) return undefined;
      if (c !== undefined) return resolveServiceHost(findService(b, c), a);
      if (b === undefined) return isFull ? undefined : resolveService(findService(a, namespace));
      return resolveService(findService(a, b)) ?? (isFull ? undefined : resolveServiceHost(findService(b, namespace), a));
    },
  };
  function resolveService(service: Service | undefined) {
    return service === undefined ? undefined : listAddresses(service);
  }
  function resolveServiceHost(service: Service | undefined, host: string) {
    return service === undefined ? undefined : resolveHost(service, host);
  }
}
