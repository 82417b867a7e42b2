import { createHash } from "node:crypto";

const MAX_NAME_LENGTH = 63;

/** Joins base and suffix with `-`; the base is cut where the name would be too long. */
export function joinName(base: string, suffix: string): string {
  const fits = Buffer.byteLength(base) + Buffer.byteLength(suffix) <= MAX_NAME_LENGTH;
  return `${
    fits
      ? base
      : Buffer.from(base)
          .subarray(0, MAX_NAME_LENGTH - suffix.length - 1)
          .toString("utf8")
  }-${suffix}`;
}

/** Adds a hash of the JSON text that Go's encoder writes, which ends with a newline. */
export function addHash(base: string, json: string): string {
  const digest = createHash("sha224").update(`${json}\n`).digest("hex");
  return joinName(base, BigInt(`0x${digest}`).toString(36));
}
