import { isIP, isIPv4 } from "node:net";

/** Leading zeros are let pass, as they once were. */
const plain = (ip: string) => (/^[\d.]+$/.test(ip) ? ip.replace(/(^|\.)0+(?=\d)/g, "$1") : ip);

export function ipProblems(value: string): string[] {
  return isIP(plain(value)) === 0 || value.includes("%") ? ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"] : [];
}

export function cidrProblems(value: string): string[] {
  const [ip = "", bits = "", ...more] = value.split("/");
  const max = isIPv4(plain(ip)) ? 32 : 128;
  const fine = more.length === 0 && isIP(plain(ip)) !== 0 && /^\d+$/.test(bits) && Number(bits) <= max;
  return fine ? [] : ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];
}

/** The one way to write an address. */
export function canonicalIpProblems(value: string): string[] {
  const problems = ipProblems(value);
  if (problems.length > 0) return problems;
  const canonical = canonicalIp(value);
  return canonical === value ? [] : [`must be in canonical form ("${canonical}")`];
}

function canonicalIp(value: string): string {
  return isIPv4(plain(value)) ? plain(value) : new URL(`http://[${value}]`).hostname.slice(1, -1);
}

/** Addresses nobody outside may be sent to. */
export function endpointIpProblems(value: string): string[] {
  if (value === "0.0.0.0" || value === "::") return [`may not be unspecified (${value})`];
  if (/^127\./.test(value) || value === "::1") return ["may not be in the loopback range (127.0.0.0/8, ::1/128)"];
  if (/^169\.254\./.test(value) || /^fe[89ab]/i.test(value)) return ["may not be in the link-local range (169.254.0.0/16, fe80::/10)"];
  if (/^224\.0\.0\./.test(value) || /^ff02:/i.test(value))
    return ["may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"];
  return [];
}
