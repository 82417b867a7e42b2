import type { Json } from "pintle/kinds";
import { cel } from "../../schema/index.ts";

/** What an expression came to, as JSON. */
export function jsonOf(value: cel.Value): Json {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === null || typeof value !== "object") return value;
  if (value instanceof cel.ListValue) return [...value.values()].map(jsonOf);
  if (value instanceof cel.MapValue)
    return Object.fromEntries([...value.keys()].map((key) => [String(key), jsonOf(value.find(key) ?? null)]));
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof cel.Timestamp) return new Date(Number(value.nanos / 1_000_000n)).toISOString().replace(".000Z", "Z");
  if (value instanceof cel.Duration) return `${Number(value.nanos) / 1e9}s`;
  return null;
}
