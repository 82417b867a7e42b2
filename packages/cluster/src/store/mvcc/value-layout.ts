import { stringifyJson } from "pintle/internal/json";
import { createStringCache } from "pintle/internal/memoize";
import type { JsonObject } from "pintle/kinds";

/**
 * JSON of a value and the position of its metadata. Kind, apiVersion and metadata come first, and `managedFields` last in the metadata,
 * as Go encodes them, so that most readers can decode or copy the metadata without the rest.
 */
export interface ValueLayout {
  readonly json: string;
  /** Length in UTF-8. */
  readonly byteLength: number;
  /** Byte offsets of the metadata, of `managedFields` in it, and of its end. */
  readonly metadataStart: number;
  readonly managedFieldsStart: number;
  readonly metadataEnd: number;
}

const MANAGED_FIELDS_KEY = '"managedFields":[';

/** Encodes a value whose metadata is ordered by `stampResourceVersion`. */
export function layoutValue(value: JsonObject): ValueLayout {
  const { kind, apiVersion } = value;
  let before = "{";
  if (kind !== undefined) before += `"kind":${quoteMemoized(kind as string)},`;
  if (apiVersion !== undefined) before += `"apiVersion":${quoteMemoized(apiVersion as string)},`;
  before += '"metadata":';
  const metadata = stringifyJson(value["metadata"]);
  // Quotes within strings are escaped, so this can only be the field itself.
  const owners = metadata.indexOf(MANAGED_FIELDS_KEY);
  const named = owners === -1 ? metadata.length - 1 : Math.max(owners - 1, 1);
  let json = before + metadata;
  for (const name in value) {
    if (name === "kind" || name === "apiVersion" || name === "metadata") continue;
    const part = value[name];
    if (part !== undefined) json += `,${quoteMemoized(name)}:${stringifyJson(part)}`;
  }
  json += "}";
  const byteLength = Buffer.byteLength(json);
  const metadataStart = before.length;
  if (byteLength === json.length)
    return { json, byteLength, metadataStart, managedFieldsStart: metadataStart + named, metadataEnd: metadataStart + metadata.length };
  const start = Buffer.byteLength(before);
  return {
    json,
    byteLength,
    metadataStart: start,
    managedFieldsStart: start + Buffer.byteLength(metadata.slice(0, named)),
    metadataEnd: start + Buffer.byteLength(metadata),
  };
}

/** Quoted kinds and field names, which repeat in all values. */
const quotedStrings = createStringCache<string>(1024 * 1024, ({ length }) => length);

function quoteMemoized(text: string): string {
  const known = quotedStrings.get(text);
  if (known !== undefined) return known;
  const quoted = stringifyJson(text);
  quotedStrings.set(text, quoted);
  return quoted;
}
