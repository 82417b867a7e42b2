import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { badRequest } from "../../status/index.ts";

/** Everything that Go's `IsGlobalUnicast` excludes. IPv4 addresses in IPv6 form are checked as IPv4. */
const NOT_GLOBAL_UNICAST = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 32],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4],
  ["255.255.255.255", 32],
] as const)
  NOT_GLOBAL_UNICAST.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 128],
  ["::1", 128],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  NOT_GLOBAL_UNICAST.addSubnet(network, prefix, "ipv6");

/** Returns whether the server may connect to an address that an object names: neither loopback nor link-local, for example. */
export function isProxyableAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !NOT_GLOBAL_UNICAST.check(address, family === 4 ? "ipv4" : "ipv6");
}

export const addressNotAllowed = () => badRequest("address not allowed");

/**
 * Resolves a host that an object names, and returns its address. Throws 400 if one of its addresses is not proxyable. The address is what
 * the server connects to: another lookup could return another one.
 */
export async function resolveProxyableHost(host: string): Promise<string> {
  const found = await lookup(host, { all: true }).catch((error: Error) => {
    throw badRequest(error.message);
  });
  const [first] = found;
  if (first === undefined) throw badRequest("no addresses for hostname");
  if (!found.every(({ address }) => isProxyableAddress(address))) throw addressNotAllowed();
  return first.address;
}
