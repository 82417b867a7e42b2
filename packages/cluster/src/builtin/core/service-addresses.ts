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
}

export const NODE_PORTS = { first: 30000, last: 32767 } as const;
/** The first addresses and ports are left to those who ask for one. */
const FIRST_DYNAMIC = 256;
const FIRST_DYNAMIC_PORT = NODE_PORTS.first + 86;
const SIZE = 65536;

export function serviceAddresses(random: Random): ServiceAddresses {
  const held = new Map<string, readonly string[]>();
  const owners = new Map<string, string>();
  const forget = (service: JsonObject) => {
    const key = keyOf(service);
    for (const address of held.get(key) ?? []) owners.delete(address);
    held.delete(key);
  };
  const free = (of: (n: number) => string, count: number, other: ReadonlySet<number> = new Set()): string => {
    const start = Math.floor(random() * count);
    for (let step = 0; step < count; step++) {
      const address = of((start + step) % count);
      if (!owners.has(address) && !other.has(Number(address))) return address;
    }
    throw new Error("all service addresses are taken: delete services that are not needed");
  };
  return {
    forget,
    observe(service) {
      forget(service);
      const key = keyOf(service);
      const addresses = addressesOf(service as Loose<Service>);
      held.set(key, addresses);
      for (const address of addresses) owners.set(address, key);
    },
    freeIp: () => free((n) => ipOf(FIRST_DYNAMIC + n), SIZE - FIRST_DYNAMIC - 1),
    freePort: (other) => Number(free((n) => String(FIRST_DYNAMIC_PORT + n), NODE_PORTS.last - FIRST_DYNAMIC_PORT + 1, other)),
    ownerOfIp: (ip) => owners.get(ip),
    ownerOfPort: (port) => owners.get(String(port)),
    isInRange: (ip) => /^10\.96\.\d+\.\d+$/.test(ip) && ip !== "10.96.0.0" && ip !== "10.96.255.255",
  };
}

/** Shows every service there is, and from then on every change. Returns how to stop. */
export async function followServices(store: Store, addresses: ServiceAddresses): Promise<() => void> {
  const prefix = `${storagePrefix("", "services")}/`;
  const { entries, revision } = await store.range(prefix);
  for (const { value } of entries) addresses.observe(value);
  return store.watch(prefix, revision, ({ type, value }) => (type === "put" ? addresses.observe(value) : addresses.forget(value)));
}

const ipOf = (n: number) => `10.96.${n >> 8}.${n & 255}`;

export function keyOf(service: Loose<Service> | JsonObject): string {
  const { namespace, name } = ((service as Loose<Service>).metadata ?? {}) as { readonly namespace?: string; readonly name?: string };
  return `${namespace}/${name}`;
}

function addressesOf({ spec }: Loose<Service>): readonly string[] {
  const ports = (spec?.ports ?? []).map(({ nodePort }) => nodePort);
  const all = [...(spec?.clusterIPs ?? []), ...[...ports, spec?.healthCheckNodePort].filter((port) => !!port).map(String)];
  return all.filter((address) => address !== "None" && address !== "");
}
