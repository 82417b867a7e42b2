import { isIPv4 } from "node:net";
import type { JsonObject } from "pintle/kinds";
import type { Service } from "pintle/kinds/core/v1";
import type { Random } from "pintle/queue";
import type { Store } from "../../store/index.ts";
import type { Loose } from "../draft.ts";
import { storagePrefix } from "../facts.ts";

/**
 * Which cluster IPs and node ports are taken. It knows what it was shown, and nothing is reserved before it is stored:
 * a service that is refused, or only tried, leaves no trace.
 */
export interface ServiceAddresses {
  /** A service that exists, as it is now. */
  observe(service: JsonObject): void;
  /** A service that is gone. */
  forget(service: JsonObject): void;
  freeIp(): string;
  /** One that is in none of `other` either. */
  freePort(other: ReadonlySet<number>): number;
  /** "namespace/name" of the service that has it. */
  ownerOfIp(ip: string): string | undefined;
  ownerOfPort(port: number): string | undefined;
  isInRange(ip: string): boolean;
  readonly nodePorts: PortRange;
}

export interface PortRange {
  readonly first: number;
  readonly last: number;
}
/** Where addresses come from. */
export interface AddressRanges {
  /** IPv4: "10.96.0.0/16". */
  readonly clusterIps?: string | undefined;
  readonly nodePorts?: PortRange | undefined;
}

const NODE_PORTS: PortRange = { first: 30000, last: 32767 };

const NONE: ReadonlySet<number> = new Set();

export function serviceAddresses(random: Random, ranges: AddressRanges = {}): ServiceAddresses {
  const { clusterIps = "10.96.0.0/16", nodePorts = NODE_PORTS } = ranges;
  const { base, size } = network(clusterIps);
  const ipOf = (n: number) => dotted(base + n);
  const ports = nodePorts.last - nodePorts.first + 1;
  // The first addresses and ports are left to those who ask for one, as long as there are others.
  const firstIp = size <= 16 ? 1 : clamped(size / 16, 16, 256);
  const firstPort = ports <= 16 ? 0 : clamped(ports / 32, 16, 128);
  const held = new Map<string, readonly string[]>();
  const owners = new Map<string, string>();
  const forget = (service: JsonObject) => {
    const key = keyOf(service);
    for (const address of held.get(key) ?? []) owners.delete(address);
    held.delete(key);
  };
  const free = (of: (n: number) => string, from: number, to: number, other: ReadonlySet<number>): string | undefined => {
    const count = to - from;
    const start = Math.floor(random() * count);
    for (let step = 0; step < count; step++) {
      const address = of(from + ((start + step) % count));
      if (!owners.has(address) && !other.has(Number(address))) return address;
    }
    return undefined;
  };
  const none = () => {
    throw new Error("all service addresses are taken: delete services that are not needed");
  };
  const portOf = (n: number) => String(nodePorts.first + n);
  return {
    forget,
    observe(service) {
      forget(service);
      const key = keyOf(service);
      const addresses = addressesOf(service as Loose<Service>);
      held.set(key, addresses);
      for (const address of addresses) owners.set(address, key);
    },
    freeIp: () => free(ipOf, firstIp, size - 1, NONE) ?? free(ipOf, 1, firstIp, NONE) ?? none(),
    freePort: (other) => Number(free(portOf, firstPort, ports, other) ?? free(portOf, 0, firstPort, other) ?? none()),
    ownerOfIp: (ip) => owners.get(ip),
    ownerOfPort: (port) => owners.get(String(port)),
    isInRange: (ip) => isIPv4(ip) && numberOf(ip) > base && numberOf(ip) < base + size - 1,
    nodePorts,
  };
}

/** Shows every service there is, and from then on every change. Returns how to stop. */
export async function followServices(store: Store, addresses: ServiceAddresses): Promise<() => void> {
  const prefix = `${storagePrefix("", "services")}/`;
  const { entries, revision } = await store.range(prefix);
  for (const { value } of entries) addresses.observe(value);
  return store.watch(prefix, revision, ({ type, value }) => (type === "put" ? addresses.observe(value) : addresses.forget(value)));
}

function network(range: string): { readonly base: number; readonly size: number } {
  const [address = "", bits = ""] = range.split("/");
  const size = 2 ** (32 - Number(bits));
  return { base: Math.floor(numberOf(address) / size) * size, size };
}

const numberOf = (ip: string) => ip.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const dotted = (n: number) => [24, 16, 8, 0].map((bits) => Math.floor(n / 2 ** bits) % 256).join(".");
const clamped = (n: number, least: number, most: number) => Math.floor(Math.min(Math.max(n, least), most));

/** The first address of a range: that of the `kubernetes` Service. */
export function firstAddress(range: string): string {
  return dotted(network(range).base + 1);
}

export function keyOf(service: Loose<Service> | JsonObject): string {
  const { namespace, name } = ((service as Loose<Service>).metadata ?? {}) as { readonly namespace?: string; readonly name?: string };
  return `${namespace}/${name}`;
}

function addressesOf({ spec }: Loose<Service>): readonly string[] {
  const ports = (spec?.ports ?? []).map(({ nodePort }) => nodePort);
  const all = [...(spec?.clusterIPs ?? []), ...[...ports, spec?.healthCheckNodePort].filter((port) => !!port).map(String)];
  return all.filter((address) => address !== "None" && address !== "");
}
