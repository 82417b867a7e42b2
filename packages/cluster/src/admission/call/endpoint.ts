import type { JsonObject } from "pintle/kinds";
import { metadataOf } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import { CallFailure } from "./failure.ts";

/** Where a Service is reached. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

interface Service {
  readonly spec?: {
    readonly type?: string;
    readonly externalName?: string;
    readonly ports?: readonly { readonly name?: string; readonly port: number }[];
  };
}
interface EndpointSlice {
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null;
  readonly endpoints?: readonly { readonly addresses: readonly string[]; readonly conditions?: { readonly ready?: boolean } }[] | null;
}

/** A ready endpoint of a Service, by its EndpointSlices: there is no network here that a cluster IP could lead through. */
export async function endpointOf(store: Store, namespace: string, name: string, port: number): Promise<Endpoint> {
  const service = (await store.get(`/registry/services/specs/${namespace}/${name}`))?.value as Service | undefined;
  if (service === undefined) throw new CallFailure(`service "${name}" not found`);
  const { type, externalName = "", ports = [] } = service.spec ?? {};
  if (type === "ExternalName") return { host: externalName, port };
  const found = ports.find((each) => each.port === port);
  if (found === undefined) throw new CallFailure(`no service port ${port} found for service "${name}"`);
  const { entries } = await store.range(`/registry/endpointslices/${namespace}/`);
  for (const { value } of entries) {
    if (!isOf(value, name)) continue;
    const { ports: places, endpoints } = value as EndpointSlice;
    const place = places?.find((each) => (each.name ?? "") === (found.name ?? "") && each.port !== undefined);
    const ready = endpoints?.find(({ conditions }) => conditions?.ready !== false);
    if (place?.port !== undefined && ready?.addresses[0] !== undefined) return { host: ready.addresses[0], port: place.port };
  }
  throw new CallFailure(`no endpoints available for service "${name}"`);
}

function isOf(slice: JsonObject, service: string): boolean {
  return metadataOf(slice).labels?.["kubernetes.io/service-name"] === service;
}
