import { quoteGoString } from "pintle/internal/go-format";
import { type GoUrl, parseRequestUri, parseUrl, UrlError } from "../../formats/go-url.ts";
import { formatIp, parseIp } from "../../formats/ip-address.ts";
import type { OverloadDefinition } from "../check/functions.ts";
import { createFailure, type Failure, OpaqueValue, PlainList, PlainMap, type Value } from "../values/value.ts";

export class IpValue extends OpaqueValue {
  readonly typeName = "net.IP";
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    super();
    this.bytes = bytes;
  }
  equals(other: IpValue): boolean {
    return Buffer.compare(this.bytes, other.bytes) === 0;
  }
}

export class CidrValue extends OpaqueValue {
  readonly typeName = "net.CIDR";
  readonly bytes: Uint8Array;
  readonly bits: number;
  constructor(bytes: Uint8Array, bits: number) {
    super();
    this.bytes = bytes;
    this.bits = bits;
  }
  equals(other: CidrValue): boolean {
    return this.bits === other.bits && Buffer.compare(this.bytes, other.bytes) === 0;
  }
  contains(address: Uint8Array): boolean {
    return (
      address.length === this.bytes.length && Buffer.compare(maskAddress(address, this.bits), maskAddress(this.bytes, this.bits)) === 0
    );
  }
  override toString(): string {
    return `${formatIp(this.bytes)}/${this.bits}`;
  }
}

class UrlValue extends OpaqueValue {
  readonly typeName = "kubernetes.URL";
  readonly text: string;
  readonly url: GoUrl;
  constructor(text: string, url: GoUrl) {
    super();
    this.text = text;
    this.url = url;
  }
  equals(other: UrlValue): boolean {
    return this.text === other.text;
  }
}

function maskAddress(bytes: Uint8Array, bits: number): Uint8Array {
  return bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * i))) & 0xff);
}

function isIpv4Mapped(bytes: Uint8Array): boolean {
  return bytes.length === 16 && bytes[10] === 255 && bytes[11] === 255 && bytes.subarray(0, 10).every((byte) => byte === 0);
}

function parseIpValue(text: string): IpValue | Failure {
  const [address, zone] = text.split("%") as [string, string?];
  const bytes = parseIp(address);
  if (bytes === undefined || zone === "") {
    return createFailure(
      `IP Address ${quoteGoString(text)} parse error during conversion from string: ParseAddr(${quoteGoString(text)}): ${describeIpError(text)}`,
    );
  }
  if (zone !== undefined) return createFailure(`IP address ${quoteGoString(text)} with zone value is not allowed`);
  if (isIpv4Mapped(bytes)) return createFailure(`IPv4-mapped IPv6 address ${quoteGoString(text)} is not allowed`);
  return new IpValue(bytes);
}

function describeIpError(text: string): string {
  if (text.includes(":")) return `each colon-separated field must have at least one digit (at ${quoteGoString(text)})`;
  return text.includes(".") ? "IPv4 field has value >255" : "unable to parse IP";
}

function parseCidrValue(text: string): CidrValue | Failure {
  const problem = (why: string) => createFailure(`network address parse error during conversion from string: ${why}`);
  const slash = text.lastIndexOf("/");
  const prefixProblem = (why: string) =>
    problem(`network address parse error during conversion from string: netip.ParsePrefix(${quoteGoString(text)}): ${why}`);
  if (slash < 0) return prefixProblem("no '/'");
  const bytes = parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (bytes === undefined)
    return prefixProblem(`ParseAddr(${quoteGoString(text.slice(0, slash))}): ${describeIpError(text.slice(0, slash))}`);
  if (!/^(0|[1-9]\d{0,2})$/.test(length)) return prefixProblem(`bad bits after slash: ${quoteGoString(length)}`);
  if (Number(length) > bytes.length * 8) return prefixProblem("prefix length out of range");
  if (isIpv4Mapped(bytes)) return problem(`IPv4-mapped IPv6 address ${quoteGoString(text)} is not allowed`);
  return new CidrValue(bytes, Number(length));
}

const isValid = (value: Value | Failure) => value instanceof OpaqueValue;
const testByFamily = (bytes: Uint8Array, v4: (bytes: Uint8Array) => boolean, v6: (bytes: Uint8Array) => boolean) =>
  bytes.length === 4 ? v4(bytes) : v6(bytes);
const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);
const isLoopback = (bytes: Uint8Array) =>
  testByFamily(
    bytes,
    ([a]) => a === 127,
    (all) => all[15] === 1 && isZero(all.subarray(0, 15)),
  );
const isLinkLocal = (bytes: Uint8Array) =>
  testByFamily(
    bytes,
    ([a, b]) => a === 169 && b === 254,
    ([a, b]) => a === 0xfe && (b! & 0xc0) === 0x80,
  );
const isLinkLocalMulticast = (bytes: Uint8Array) =>
  testByFamily(
    bytes,
    ([a, b, c]) => a === 224 && b === 0 && c === 0,
    ([a, b]) => a === 0xff && (b! & 0x0f) === 2,
  );
const isMulticast = (bytes: Uint8Array) =>
  testByFamily(
    bytes,
    ([a]) => (a! & 0xf0) === 0xe0,
    ([a]) => a === 0xff,
  );
const isBroadcast = (bytes: Uint8Array) => bytes.length === 4 && bytes.every((byte) => byte === 255);
const isGlobal = (bytes: Uint8Array) =>
  !isZero(bytes) && !isBroadcast(bytes) && !isLoopback(bytes) && !isMulticast(bytes) && !isLinkLocal(bytes);

function testParsed<T extends OpaqueValue>(other: T | Failure, test: (other: T) => boolean): Value {
  return other instanceof OpaqueValue ? test(other) : other;
}
const containsCidr = (a: CidrValue, b: CidrValue) => a.bits <= b.bits && a.contains(b.bytes);

export const addressFunctions: readonly OverloadDefinition[] = [
  ["string_to_ip", "ip(string): net.IP", parseIpValue],
  ["ip_family", "net.IP.family(): int", ({ bytes }: IpValue) => (bytes.length === 4 ? 4n : 6n)],
  [
    "ip_is_canonical",
    "ip.isCanonical(string): bool",
    (text: string) => testParsed(parseIpValue(text), ({ bytes }) => formatIp(bytes) === text),
  ],
  ["ip_is_unspecified", "net.IP.isUnspecified(): bool", ({ bytes }: IpValue) => isZero(bytes)],
  ["ip_is_loopback", "net.IP.isLoopback(): bool", ({ bytes }: IpValue) => isLoopback(bytes)],
  ["ip_is_link_local_multicast", "net.IP.isLinkLocalMulticast(): bool", ({ bytes }: IpValue) => isLinkLocalMulticast(bytes)],
  ["ip_is_link_local_unicast", "net.IP.isLinkLocalUnicast(): bool", ({ bytes }: IpValue) => isLinkLocal(bytes)],
  ["ip_is_global_unicast", "net.IP.isGlobalUnicast(): bool", ({ bytes }: IpValue) => isGlobal(bytes)],
  ["is_ip", "isIP(string): bool", (text: string) => isValid(parseIpValue(text))],
  ["ip_to_string", "string(net.IP): string", ({ bytes }: IpValue) => formatIp(bytes)],
  ["string_to_cidr", "cidr(string): net.CIDR", parseCidrValue],
  [
    "cidr_contains_ip_string",
    "net.CIDR.containsIP(string): bool",
    (cidr: CidrValue, text: string) => testParsed(parseIpValue(text), ({ bytes }) => cidr.contains(bytes)),
  ],
  ["cidr_contains_ip_ip", "net.CIDR.containsIP(net.IP): bool", (cidr: CidrValue, { bytes }: IpValue) => cidr.contains(bytes)],
  [
    "cidr_contains_cidr_string",
    "net.CIDR.containsCIDR(string): bool",
    (cidr: CidrValue, text: string) => testParsed(parseCidrValue(text), (other) => containsCidr(cidr, other)),
  ],
  ["cidr_contains_cidr", "net.CIDR.containsCIDR(net.CIDR): bool", containsCidr],
  ["cidr_ip", "net.CIDR.ip(): net.IP", ({ bytes }: CidrValue) => new IpValue(bytes)],
  ["cidr_prefix_length", "net.CIDR.prefixLength(): int", ({ bits }: CidrValue) => BigInt(bits)],
  ["cidr_masked", "net.CIDR.masked(): net.CIDR", ({ bytes, bits }: CidrValue) => new CidrValue(maskAddress(bytes, bits), bits)],
  ["is_cidr", "isCIDR(string): bool", (text: string) => isValid(parseCidrValue(text))],
  ["cidr_to_string", "string(net.CIDR): string", String],
];

function parseUrlValue(text: string): UrlValue | Failure {
  try {
    parseRequestUri(text);
    return new UrlValue(text, parseUrl(text));
  } catch (error) {
    if (error instanceof UrlError) return createFailure(`URL parse error during conversion from string: ${error.message}`);
    throw error;
  }
}

function getHostname({ url }: UrlValue): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(url.host);
  return bracketed?.[1] ?? url.host.replace(/:\d*$/, "");
}

function getPort({ url }: UrlValue): string {
  return /:(\d*)$/.exec(url.host.replace(/^\[[^\]]*\]/, ""))?.[1] ?? "";
}

function getQuery({ url }: UrlValue): Value {
  const found = new Map<string, Value[]>();
  for (const [key, value] of new URLSearchParams(url.query)) {
    const values = found.get(key);
    if (values === undefined) found.set(key, [value]);
    else values.push(value);
  }
  return new PlainMap(new Map([...found].map(([key, values]) => [`s${key}`, [key, new PlainList(values)] as const])));
}

export const urlFunctions: readonly OverloadDefinition[] = [
  ["string_to_url", "url(string): kubernetes.URL", parseUrlValue],
  ["url_get_scheme", "kubernetes.URL.getScheme(): string", ({ url }: UrlValue) => url.scheme],
  ["url_get_host", "kubernetes.URL.getHost(): string", ({ url }: UrlValue) => url.host],
  ["url_get_hostname", "kubernetes.URL.getHostname(): string", getHostname],
  ["url_get_port", "kubernetes.URL.getPort(): string", getPort],
  ["url_get_escaped_path", "kubernetes.URL.getEscapedPath(): string", ({ url }: UrlValue) => url.path],
  ["url_get_query", "kubernetes.URL.getQuery(): map(string, list(string))", getQuery],
  ["is_url_string", "isURL(string): bool", (text: string) => isValid(parseUrlValue(text))],
];
