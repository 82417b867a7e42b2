import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import * as cel from "../../schema/cel/index.ts";

/** Converts JSON without a schema to a CEL value; nested values are converted on access. */
export function toCelValue(json: Json | undefined): cel.Value {
  if (json === undefined || json === null) return null;
  if (typeof json === "number") return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (typeof json !== "object") return json;
  if (Array.isArray(json)) return new cel.PlainList((json as readonly Json[]).map(toCelValue));
  return isJsonObject(json) ? new UntypedJsonMap(json) : null;
}

class UntypedJsonMap extends cel.MapValue {
  readonly #fields: JsonObject;
  constructor(fields: JsonObject) {
    super();
    this.#fields = fields;
  }
  get size(): number {
    return Object.keys(this.#fields).length;
  }
  find(key: cel.Value): cel.Value | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.#fields, key) || this.#fields[key] === undefined) return undefined;
    return toCelValue(this.#fields[key]);
  }
  keys(): Iterable<cel.Value> {
    return Object.keys(this.#fields).filter((key) => this.#fields[key] !== undefined);
  }
}

/** Converts a CEL value to JSON. */
export function fromCelValue(value: cel.Value): Json {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === null || typeof value !== "object") return value;
  if (value instanceof cel.ListValue) return [...value.values()].map(fromCelValue);
  if (value instanceof cel.MapValue)
    return Object.fromEntries([...value.keys()].map((key) => [String(key), fromCelValue(value.find(key) ?? null)]));
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof cel.Timestamp) return new Date(Number(value.nanos / 1_000_000n)).toISOString().replace(".000Z", "Z");
  if (value instanceof cel.Duration) return `${Number(value.nanos) / 1e9}s`;
  return null;
}
