import { stringifyJson } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import { decodeJson } from "../codec/index.ts";

/** Encodes a value for a backend: JSON without the resourceVersion, which the backend's revision determines. */
export function encodeStoredValue(value: JsonObject): string {
  const { resourceVersion: _, ...metadata } = value["metadata"] as JsonObject;
  return stringifyJson({ ...value, metadata });
}

/** Integers with sixteen digits may exceed the precision of a double. */
const LONG_NUMBER = /\d{16}/;

/** Parses stored JSON; large integers keep all digits. Throws if the text is not JSON. */
export function parseStoredJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? decodeJson(text).value : JSON.parse(text);
}
