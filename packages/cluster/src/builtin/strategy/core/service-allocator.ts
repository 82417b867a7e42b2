import { isIPv4 } from "node:net";
import type { Random } from "pintle/internal/clock";
import { PintleError } from "pintle/internal/errors";
import type { JsonObject } from "pintle/kinds";
import type { Service } from "pintle/kinds/core/v1";
import type { ObjectStore } from "../../../store/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { getStoragePrefix } from "../../kind-attributes.ts";

/**
 * Finds free cluster IPs and node ports. It knows the stored services only and reserves nothing, so a rejected or
 * dry-run service has no effect.
 */
export interface ServiceAllocator {
  /** Records the addresses of an existing service. */
  recordService(service: JsonObject): void;
  /** Releases the addresses of a deleted service. */
  releaseService(service: JsonObject): void;
  findFreeIp(): string;
  /** Returns a free node port that is not in `other`. Throws if there is none. */
  findFreePort(other: ReadonlySet<number>): number;
  /** Returns "namespace/name" of the service that uses the IP. */
  getIpOwner(ip: string): string | undefined;
  getPortOwner(port: number): string | undefined;
  isInRange(ip: string): boolean;
  readonly nodePorts: PortRange;
}

/** A range of ports, both ends included. */
export interface PortRange {
  /** The first port. */
  readonly first: number;
  /** The last port. */
  readonly last: number;
}

/** Ranges of service addresses. */
export interface ServiceAddressRanges {
  /** CIDR of the cluster IPs (IPv4). Default: "10.96.0.0/16". */
  readonly clusterIps?: string | undefined;
  /** The ports of Services of type NodePort and LoadBalancer. Default: 30000 to 32767. */
  readonly nodePorts?: PortRange | undefined;
}

const DEFAULT_NODE_PORTS: PortRange = { first: 30000, last: 32767 };

const NO_PORTS: ReadonlySet<number> = new Set();

export function createServiceAllocator(random: Random, ranges: ServiceAddressRanges = {}): ServiceAllocator {
  const { clusterIps = "10.96.0.0/16", nodePorts = DEFAULT_NODE_PORTS } = ranges;
  const { base, size } = parseIpv4Range(clusterIps);
  const formatIp = (n: number) => formatIpv4(base + n);
  const ports = nodePorts.last - nodePorts.first + 1;
  // As in kube-apiserver, the first addresses and ports of a range are used last, because users request them
  // statically.
  const firstIp = size <= 16 ? 1 : clampInteger(size / 16, 16, 256);
  const firstPort = ports <= 16 ? 0 : clampInteger(ports / 32, 16, 128);
  const addressesByService = new Map<string, readonly string[]>();
  const owners = new Map<string, string>();
  const releaseService = (service: JsonObject) => {
    const key = getServiceKey(service);
    for (const address of addressesByService.get(key) ?? []) owners.delete(address);
    addressesByService.delete(key);
  };
  const findFree = (format: (n: number) => string, from: number, to: number, other: ReadonlySet<number>): string | undefined => {
    const count = to - from;
    const start = Math.floor(random() * count);
    for (let step = 0; step < count; step++) {
      const address = format(from + ((start + step) % count));
      if (!owners.has(address) && !other.has(Number(address))) return address;
    }
    return undefined;
  };
  const throwExhausted = () => {
    throw new PintleError("PINTLE6001", "all service addresses are in use: delete unused services or configure a larger range");
  };
  const formatPort = (n: number) => String(nodePorts.first + n);
  return {
    releaseService,
    recordService(service) {
      releaseService(service);
      const key = getServiceKey(service);
      const addresses = listAddresses(service as Unvalidated<Service>);
      addressesByService.set(key, addresses);
      for (const address of addresses) owners.set(address, key);
    },
    findFreeIp: () => findFree(formatIp, firstIp, size - 1, NO_PORTS) ?? findFree(formatIp, 1, firstIp, NO_PORTS) ?? throwExhausted(),
    findFreePort: (other) =>
      Number(findFree(formatPort, firstPort, ports, other) ?? findFree(formatPort, 0, firstPort, other) ?? throwExhausted()),
    getIpOwner: (ip) => owners.get(ip),
    getPortOwner: (port) => owners.get(String(port)),
    isInRange: (ip) => isIPv4(ip) && parseIpv4(ip) > base && parseIpv4(ip) < base + size - 1,
    nodePorts,
  };
}

/** Records all stored services and follows their changes. Resolves with a function that stops the watch. */
export async function watchServices(store: ObjectStore, addresses: ServiceAllocator): Promise<() => void> {
  const prefix = `${getStoragePrefix("", "services")}/`;
  const { entries, revision } = await store.range(prefix);
  for (const { value } of entries) addresses.recordService(value);
  return store.watch(prefix, revision, ({ type, value }) =>
    type === "put" ? addresses.recordService(value) : addresses.releaseService(value),
  );
}

function parseIpv4Range(range: string): { readonly base: number; readonly size: number } {
  const [address = "", bits = ""] = range.split("/");
  const size = 2 ** (32 - Number(bits));
  return { base: Math.floor(parseIpv4(address) / size) * size, size };
}

const parseIpv4 = (ip: string) => ip.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const formatIpv4 = (n: number) => [24, 16, 8, 0].map((bits) => Math.floor(n / 2 ** bits) % 256).join(".");
const clampInteger = (n: number, least: number, most: number) => Math.floor(Math.min(Math.max(n, least), most));

/** Returns the first address of a range, which the `kubernetes` Service uses. */
export function getFirstAddress(range: string): string {
  return formatIpv4(parseIpv4Range(range).base + 1);
}

export function getServiceKey(service: Unvalidated<Service> | JsonObject): string {
  const { namespace, name } = ((service as Unvalidated<Service>).metadata ?? {}) as { readonly namespace?: string; readonly name?: string };
  return `${namespace}/${name}`;
}

function listAddresses({ spec }: Unvalidated<Service>): readonly string[] {
  const ports = (spec?.ports ?? []).map(({ nodePort }) => nodePort);
  const all = [...(spec?.clusterIPs ?? []), ...[...ports, spec?.healthCheckNodePort].filter((port) => !!port).map(String)];
  return all.filter((address) => address !== "None" && address !== "");
}
