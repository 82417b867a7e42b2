import type { Metadata, OwnerReference } from "pintle/kinds";
import type { Endpoint, EndpointPort, EndpointSlice } from "pintle/kinds/discovery/v1";
import { canonical } from "pintle/merge";

export const SERVICE_NAME = "kubernetes.io/service-name";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
export const HEADLESS = "service.kubernetes.io/headless";
export const TRIGGER = "endpoints.kubernetes.io/last-change-trigger-time";

/** Endpoints that share their ports and the family of their addresses. */
export interface Group {
  readonly addressType: EndpointSlice["addressType"];
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** What all slices of one service have in common. */
export interface Common {
  readonly service: { readonly metadata: Metadata };
  readonly owner: OwnerReference;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export type NewSlice = Pick<EndpointSlice, "addressType" | "ports" | "endpoints"> & {
  readonly metadata: Pick<Metadata, "generateName" | "labels" | "annotations" | "ownerReferences"> & { readonly namespace: string };
};

export interface SliceStep {
  readonly create: readonly NewSlice[];
  readonly replace: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
}

const MOST = 100;

/** From the slices there are to those there should be, changing as few as possible. Pure. */
export function sliceStep(common: Common, wanted: readonly Group[], existing: readonly EndpointSlice[]): SliceStep {
  const create: NewSlice[] = [];
  const replace: EndpointSlice[] = [];
  const left = new Set(existing);
  for (const group of wanted) {
    const key = keyOf(group);
    const same = existing.filter((slice) => keyOf(slice) === key);
    for (const slice of same) left.delete(slice);
    const queue = new Map(group.endpoints.map((endpoint) => [addressOf(endpoint), endpoint]));
    // Endpoints stay in the slice they are in.
    const kept = same.map((slice) => {
      const endpoints = (slice.endpoints ?? []).flatMap((endpoint) => {
        const next = queue.get(addressOf(endpoint));
        queue.delete(addressOf(endpoint));
        return next ?? [];
      });
      return { slice, endpoints };
    });
    for (const each of kept) {
      const room = queue.size === 0 ? 0 : MOST - each.endpoints.length;
      for (const [address, endpoint] of [...queue].slice(0, room)) {
        each.endpoints.push(endpoint);
        queue.delete(address);
      }
    }
    const [first, ...others] = kept;
    // One slice stays even if it is empty, so that there is always one to be seen.
    for (const { slice } of others.filter(({ endpoints }) => endpoints.length === 0)) left.add(slice);
    for (const { slice, endpoints } of [
      ...(first === undefined ? [] : [first]),
      ...others.filter(({ endpoints }) => endpoints.length > 0),
    ]) {
      if (!sameContent(slice, endpoints, common))
        replace.push({ ...slice, metadata: { ...slice.metadata, ...metadataOf(common) }, endpoints });
    }
    const rest = [...queue.values()];
    if (rest.length === 0 && first === undefined) create.push(newSlice(common, group, []));
    for (let i = 0; i < rest.length; i += MOST) create.push(newSlice(common, group, rest.slice(i, i + MOST)));
  }
  return { create, replace, remove: [...left] };
}

function newSlice(common: Common, { addressType, ports }: Group, endpoints: readonly Endpoint[]): NewSlice {
  const { name, namespace = "" } = common.service.metadata;
  return {
    metadata: { generateName: `${name}-`, namespace, ownerReferences: [common.owner], ...metadataOf(common) },
    addressType,
    ports,
    endpoints,
  };
}

const metadataOf = ({ labels, annotations }: Common) => ({ labels, annotations });

function sameContent(slice: EndpointSlice, endpoints: readonly Endpoint[], { labels, annotations }: Common): boolean {
  const steady = (all: Readonly<Record<string, string>> = {}) => canonical({ ...all, [TRIGGER]: "" });
  return (
    canonical(slice.endpoints ?? []) === canonical(endpoints) &&
    canonical(slice.metadata.labels ?? {}) === canonical(labels) &&
    steady(slice.metadata.annotations) === steady(annotations)
  );
}

function keyOf({ addressType, ports }: Pick<EndpointSlice, "addressType" | "ports">): string {
  const each = (ports ?? []).map(({ name = "", port, protocol = "TCP", appProtocol }) =>
    canonical([name, port ?? null, protocol, appProtocol ?? null]),
  );
  return `${addressType} ${each.sort().join()}`;
}

const addressOf = ({ addresses, targetRef }: Endpoint) => `${targetRef?.uid ?? ""} ${addresses.join()}`;
