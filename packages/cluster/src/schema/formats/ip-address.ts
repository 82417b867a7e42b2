/** Network addresses as Go's net package parses them. */

export interface ParseIpOptions {
  /** Accept leading zeros in IPv4 octets ("010.1.1.1"), as older API servers did. Default: false. */
  readonly sloppy?: boolean | undefined;
}

/** Parses an IP address: 4 bytes for IPv4, 16 for IPv6 (also for IPv4-mapped IPv6). Returns undefined if it is invalid. */
export function parseIp(text: string, options: ParseIpOptions = {}): Uint8Array | undefined {
  for (const char of text) {
    if (char === ".") return parseIpv4(text, options.sloppy === true);
    if (char === ":") return parseIpv6(text, options.sloppy === true);
  }
  return undefined;
}

function parseIpv4(text: string, sloppy: boolean): Uint8Array | undefined {
  const octets = text.split(".");
  if (octets.length !== 4) return undefined;
  const bytes = new Uint8Array(4);
  for (const [i, octet] of octets.entries()) {
    if (!/^\d+$/.test(octet) || Number(octet) > 255) return undefined;
    if (!sloppy && octet.length > 1 && octet[0] === "0") return undefined;
    bytes[i] = Number(octet);
  }
  return bytes;
}

function parseIpv6(text: string, sloppy: boolean): Uint8Array | undefined {
  const gap = text.indexOf("::");
  if (gap !== text.lastIndexOf("::")) return undefined;
  const head = parseGroups(gap < 0 ? text : text.slice(0, gap), gap < 0, sloppy);
  const tail = gap < 0 ? [] : parseGroups(text.slice(gap + 2), true, sloppy);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (gap < 0 ? missing !== 0 : missing < 2) return undefined;
  return Uint8Array.from([...head, ...new Array<number>(missing).fill(0), ...tail]);
}

function parseGroups(text: string, last: boolean, sloppy: boolean): number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const parts = text.split(":");
  for (const [i, part] of parts.entries()) {
    if (part.includes(".")) {
      const v4 = last && i === parts.length - 1 ? parseIpv4(part, sloppy) : undefined;
      if (v4 === undefined) return undefined;
      bytes.push(...v4);
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined;
      const value = Number.parseInt(part, 16);
      bytes.push(value >> 8, value & 255);
    }
  }
  return bytes;
}

export interface Cidr {
  readonly address: Uint8Array;
  readonly bits: number;
}

export function parseCidr(text: string, options: ParseIpOptions = {}): Cidr | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash), options);
  const length = text.slice(slash + 1);
  if (address === undefined || !/^\d{1,3}$/.test(length) || Number(length) > address.length * 8) return undefined;
  if (!options.sloppy && length.length > 1 && length[0] === "0") return undefined;
  return { address, bits: Number(length) };
}

/** Formats an IP address as RFC 5952 does: the longest run of zero groups is shortened. */
export function formatIp(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const parts = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!) >>> 0);
  let best = { from: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let run = 0;
    while (i + run < 8 && parts[i + run] === 0) run++;
    if (run > best.length) best = { from: i, length: run };
    if (run > 0) i += run - 1;
  }
  const text = (from: number, to: number) =>
    parts
      .slice(from, to)
      .map((part) => part.toString(16))
      .join(":");
  return best.from < 0 ? text(0, 8) : `${text(0, best.from)}::${text(best.from + best.length, 8)}`;
}

/** Returns whether Go's net.ParseMAC accepts the text: 6, 8 or 20 octets, bare or separated by colons, dashes or dots. */
export function isMac(text: string): boolean {
  const octets = macPatterns.some((form) => form.test(text)) ? text.replace(/[^0-9a-fA-F]/g, "").length / 2 : 0;
  return octets === 6 || octets === 8 || octets === 20;
}

const macPatterns = [
  /^[0-9a-fA-F]+$/,
  /^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+$/,
  /^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2})+$/,
  /^[0-9a-fA-F]{2}(-[0-9a-fA-F]{2})+$/,
];
