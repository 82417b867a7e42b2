import type { JsonObject } from "pintle/kinds";
import { decodeJson, jsonText } from "../codec/index.ts";

/** A value as backends keep it: JSON, without its revision, which is the backend's to say. */
export function valueText(value: JsonObject): string {
  const { resourceVersion: _, ...metadata } = value["metadata"] as JsonObject;
  return jsonText({ ...value, metadata });
}

/** Sixteen digits may be more than a double holds. */
const LONG_NUMBER = /\d{16}/;

/** JSON as it was written, integers with all their digits. Throws when the text is none. */
export function parseText(text: string): unknown {
  return LONG_NUMBER.test(text) ? decodeJson(text).value : JSON.parse(text);
}
