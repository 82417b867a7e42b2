import { type Client, Conflict, Forbidden, NotFound } from "pintle/client";
import { canonicalJson } from "pintle/internal/merge";
import type { Metadata, OwnerReference } from "pintle/kinds";
import { type Endpoint, type EndpointPort, EndpointSlice } from "pintle/kinds/discovery/v1";
import { FIELD_MANAGER } from "../field-manager.ts";

export const SERVICE_NAME_LABEL = "kubernetes.io/service-name";
export const MANAGED_BY_LABEL = "endpointslice.kubernetes.io/managed-by";
export const HEADLESS_LABEL = "service.kubernetes.io/headless";
export const TRIGGER_TIME_ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time";

/** Endpoints with the same ports and address family. */
export interface EndpointGroup {
  readonly addressType: EndpointSlice["addressType"];
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The metadata that all slices of one Service share. */
export interface SliceTemplate {
  readonly service: { readonly metadata: Metadata };
  readonly owner: OwnerReference;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export type NewEndpointSlice = Pick<EndpointSlice, "addressType" | "ports" | "endpoints"> & {
  readonly metadata: Pick<Metadata, "generateName" | "labels" | "annotations" | "ownerReferences"> & { readonly namespace: string };
};

export interface EndpointSlicePlan {
  readonly create: readonly NewEndpointSlice[];
  readonly replace: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
}

const MAX_ENDPOINTS_PER_SLICE = 100;

/** Plans the changes from the existing slices to the desired endpoints, with as few writes as possible. Pure. */
export function planEndpointSlices(
  template: SliceTemplate,
  desired: readonly EndpointGroup[],
  existing: readonly EndpointSlice[],
): EndpointSlicePlan {
  const create: NewEndpointSlice[] = [];
  const replace: EndpointSlice[] = [];
  const toDelete = new Set(existing);
  for (const group of desired) {
    const key = getPortKey(group);
    const sameKey = existing.filter((slice) => getPortKey(slice) === key);
    for (const slice of sameKey) toDelete.delete(slice);
    const unassigned = new Map(group.endpoints.map((endpoint) => [getEndpointKey(endpoint), endpoint]));
    // Endpoints stay in their present slice.
    const updated = sameKey.map((slice) => {
      const endpoints = (slice.endpoints ?? []).flatMap((endpoint) => {
        const next = unassigned.get(getEndpointKey(endpoint));
        unassigned.delete(getEndpointKey(endpoint));
        return next ?? [];
      });
      return { slice, endpoints };
    });
    for (const each of updated) {
      const capacity = unassigned.size === 0 ? 0 : MAX_ENDPOINTS_PER_SLICE - each.endpoints.length;
      for (const [address, endpoint] of [...unassigned].slice(0, capacity)) {
        each.endpoints.push(endpoint);
        unassigned.delete(address);
      }
    }
    const [first, ...otherSlices] = updated;
    // One slice remains even if it is empty, so that the Service always has one.
    for (const { slice } of otherSlices.filter(({ endpoints }) => endpoints.length === 0)) toDelete.add(slice);
    for (const { slice, endpoints } of [
      ...(first === undefined ? [] : [first]),
      ...otherSlices.filter(({ endpoints }) => endpoints.length > 0),
    ]) {
      if (!isSameContent(slice, endpoints, template))
        replace.push({ ...slice, metadata: { ...slice.metadata, ...pickMetadata(template) }, endpoints });
    }
    const rest = [...unassigned.values()];
    if (rest.length === 0 && first === undefined) create.push(buildSlice(template, group, []));
    for (let i = 0; i < rest.length; i += MAX_ENDPOINTS_PER_SLICE)
      create.push(buildSlice(template, group, rest.slice(i, i + MAX_ENDPOINTS_PER_SLICE)));
  }
  return { create, replace, remove: [...toDelete] };
}

function buildSlice(common: SliceTemplate, { addressType, ports }: EndpointGroup, endpoints: readonly Endpoint[]): NewEndpointSlice {
  const { name, namespace = "" } = common.service.metadata;
  return {
    metadata: { generateName: `${name}-`, namespace, ownerReferences: [common.owner], ...pickMetadata(common) },
    addressType,
    ports,
    endpoints,
  };
}

const pickMetadata = ({ labels, annotations }: SliceTemplate) => ({ labels, annotations });

function isSameContent(slice: EndpointSlice, endpoints: readonly Endpoint[], { labels, annotations }: SliceTemplate): boolean {
  const withoutTriggerTime = (all: Readonly<Record<string, string>> = {}) => canonicalJson({ ...all, [TRIGGER_TIME_ANNOTATION]: "" });
  return (
    canonicalJson(slice.endpoints ?? []) === canonicalJson(endpoints) &&
    canonicalJson(slice.metadata.labels ?? {}) === canonicalJson(labels) &&
    withoutTriggerTime(slice.metadata.annotations) === withoutTriggerTime(annotations)
  );
}

function getPortKey({ addressType, ports }: Pick<EndpointSlice, "addressType" | "ports">): string {
  const each = (ports ?? []).map(({ name = "", port, protocol = "TCP", appProtocol }) =>
    canonicalJson([name, port ?? null, protocol, appProtocol ?? null]),
  );
  return `${addressType} ${each.sort().join()}`;
}

const getEndpointKey = ({ addresses, targetRef }: Endpoint) => `${targetRef?.uid ?? ""} ${addresses.join()}`;

/** Executes a plan. A terminating namespace accepts no new slices and needs none. */
export async function applyEndpointSlicePlan(client: Client, { create, replace, remove }: EndpointSlicePlan): Promise<void> {
  for (const slice of create) {
    try {
      await client.create(EndpointSlice, slice as never, FIELD_MANAGER);
    } catch (error) {
      if (!(error instanceof Forbidden) && !(error instanceof NotFound)) throw error;
    }
  }
  for (const slice of replace) await client.replace(EndpointSlice, slice, FIELD_MANAGER);
  for (const { metadata } of remove) {
    try {
      await client.delete(EndpointSlice, metadata, { uid: metadata.uid });
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  }
}
