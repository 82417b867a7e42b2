import { isIP, isIPv4 } from "node:net";

/** Removes leading zeros, which older API servers accepted. */
const removeLeadingZeros = (ip: string) =>
  /^[\d.]+$/.test(ip)
    ? ip
        .split(".")
        .map((part) => part.replace(/^0+/, "") || part.slice(0, 1))
        .join(".")
    : ip;

export function validateIp(value: string): string[] {
  return isIP(removeLeadingZeros(value)) === 0 || value.includes("%")
    ? ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]
    : [];
}

export function validateCidr(value: string): string[] {
  const [ip = "", bits = "", ...more] = value.split("/");
  const max = isIPv4(removeLeadingZeros(ip)) ? 32 : 128;
  const fine = more.length === 0 && isIP(removeLeadingZeros(ip)) !== 0 && /^\d+$/.test(bits) && Number(bits) <= max;
  return fine ? [] : ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];
}

/** Returns why an address is not in canonical form. */
export function validateCanonicalIp(value: string): string[] {
  const problems = validateIp(value);
  if (problems.length > 0) return problems;
  const canonical = getCanonicalIp(value);
  return canonical === value ? [] : [`must be in canonical form ("${canonical}")`];
}

function getCanonicalIp(value: string): string {
  return isIPv4(removeLeadingZeros(value)) ? removeLeadingZeros(value) : new URL(`http://[${value}]`).hostname.slice(1, -1);
}

/** Returns why an address cannot be used for endpoints. */
export function validateEndpointIp(value: string): string[] {
  if (value === "0.0.0.0" || value === "::") return [`may not be unspecified (${value})`];
  if (/^127\./.test(value) || value === "::1") return ["may not be in the loopback range (127.0.0.0/8, ::1/128)"];
  if (/^169\.254\./.test(value) || /^fe[89ab]/i.test(value)) return ["may not be in the link-local range (169.254.0.0/16, fe80::/10)"];
  if (/^224\.0\.0\./.test(value) || /^ff02:/i.test(value))
    return ["may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"];
  return [];
}
