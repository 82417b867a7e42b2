import type { JsonObject } from "pintle/kinds";
import { getMetadata } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { WebhookTransportError } from "./transport-error.ts";

/** Host and port of a Service. */
export interface ServiceEndpoint {
  readonly host: string;
  readonly port: number;
}

interface StoredService {
  readonly spec?: {
    readonly type?: string;
    readonly externalName?: string;
    readonly ports?: readonly { readonly name?: string; readonly port: number }[];
  };
}
interface StoredEndpointSlice {
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null;
  readonly endpoints?: readonly { readonly addresses: readonly string[]; readonly conditions?: { readonly ready?: boolean } }[] | null;
}

/** Returns a ready endpoint of a Service from its EndpointSlices: cluster IPs are not routable here. */
export async function resolveServiceEndpoint(store: ObjectStore, namespace: string, name: string, port: number): Promise<ServiceEndpoint> {
  const service = (await store.get(`/registry/services/specs/${namespace}/${name}`))?.value as StoredService | undefined;
  if (service === undefined) throw new WebhookTransportError(`service "${name}" not found`);
  const { type, externalName = "", ports = [] } = service.spec ?? {};
  if (type === "ExternalName") return { host: externalName, port };
  const found = ports.find((each) => each.port === port);
  if (found === undefined) throw new WebhookTransportError(`no service port ${port} found for service "${name}"`);
  const { entries } = await store.range(`/registry/endpointslices/${namespace}/`);
  for (const { value } of entries) {
    if (!belongsToService(value, name)) continue;
    const { ports: slicePorts, endpoints } = value as StoredEndpointSlice;
    const slicePort = slicePorts?.find((each) => (each.name ?? "") === (found.name ?? "") && each.port !== undefined);
    const ready = endpoints?.find(({ conditions }) => conditions?.ready !== false);
    if (slicePort?.port !== undefined && ready?.addresses[0] !== undefined) return { host: ready.addresses[0], port: slicePort.port };
  }
  throw new WebhookTransportError(`no endpoints available for service "${name}"`);
}

function belongsToService(slice: JsonObject, service: string): boolean {
  return getMetadata(slice).labels?.["kubernetes.io/service-name"] === service;
}
