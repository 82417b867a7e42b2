import type { MicroTime } from "./meta.ts";

/**
 * Encodes strings as the `data` of a Secret. Undefined values are dropped. `stringData` is not offered in desired objects: the server
 * turns it into `data` that has no field manager and can never be removed by apply.
 *
 * @example
 * ```ts
 * import { encodeSecretData } from "pintle";
 * import { Secret } from "pintle/kinds/core/v1";
 *
 * export const secret = Secret.desired({ metadata: { name: "db" }, data: encodeSecretData({ password: "hunter2" }) });
 * ```
 */
export function encodeSecretData(values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const data: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) if (value !== undefined) data[key] = Buffer.from(value).toString("base64");
  return data;
}

/**
 * Formats a date for MicroTime fields (Lease, Event), which require exactly six decimals.
 *
 * @example
 * ```ts
 * import { formatMicroTime } from "pintle";
 * import { Lease } from "pintle/kinds/coordination/v1";
 *
 * export const lease = Lease.desired({ metadata: { name: "leader" }, spec: { renewTime: formatMicroTime(new Date()) } });
 * ```
 */
export function formatMicroTime(date: Date): MicroTime {
  return date.toISOString().replace(/Z$/, "000Z");
}
