import type { MicroTime } from "./meta.ts";

/**
 * Plain text as Secret `data`: `Secret.desired({ metadata, data: text({ password }) })`. Fields that are undefined are
 * left out. (`stringData` is not offered: what the server makes of it belongs to nobody and can never be removed.)
 */
export function text(values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const data: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) if (value !== undefined) data[key] = Buffer.from(value).toString("base64");
  return data;
}

/** A date as the server's MicroTime fields want it (Lease, Event): exactly six decimals, where JavaScript writes three. */
export function microTime(date: Date): MicroTime {
  return date.toISOString().replace(/Z$/, "000Z");
}
