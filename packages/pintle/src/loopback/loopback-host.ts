import { BlockList, isIPv4, isIPv6 } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/**
 * Returns whether a host is this machine: "localhost", an address of 127.0.0.0/8, or ::1 with or without brackets. Names that only look like it
 * ("127.0.0.1.example.com", "localhost.", "my.localhost") are not: a resolver decides what they mean.
 */
export function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === "localhost") return true;
  if (isIPv4(host)) return LOOPBACK.check(host, "ipv4");
  const address = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  // An address with a zone ("::1%eth0") belongs to that interface.
  return isIPv6(address) && !address.includes("%") && LOOPBACK.check(address, "ipv6");
}

/** Returns whether a URL is one of this machine. What comes before an "@" is a user name, not the host. */
export function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}
