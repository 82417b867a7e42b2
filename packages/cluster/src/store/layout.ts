import type { Json, JsonObject } from "pintle/kinds";
import { jsonText } from "../codec/index.ts";

/**
 * A value as text, and where in it the metadata is: kind, version and metadata come first, and who owns which field last in the metadata, as
 * Go writes them. What most readers want to know of an object can so be read, or copied, without the rest of it.
 */
export interface Layout {
  readonly text: string;
  /** In bytes of UTF-8. */
  readonly bytes: number;
  /** Where the metadata begins, where in it its fields end but for the owners, and where it ends; in bytes. */
  readonly begin: number;
  readonly brief: number;
  readonly end: number;
}

const OWNERS = "managedFields";

export function layout(value: JsonObject): Layout {
  const { kind, apiVersion } = value;
  const metadata = value["metadata"] as JsonObject;
  const before = `{${kind === undefined ? "" : `"kind":${jsonText(kind)},`}${apiVersion === undefined ? "" : `"apiVersion":${jsonText(apiVersion)},`}"metadata":`;
  let named = "{";
  for (const name in metadata) if (name !== OWNERS) named += field(named === "{" ? "" : ",", name, metadata[name]);
  const owned = `${field(named === "{" ? "" : ",", OWNERS, metadata[OWNERS])}}`;
  let after = "";
  for (const name in value) if (name !== "kind" && name !== "apiVersion" && name !== "metadata") after += field(",", name, value[name]);
  const text = `${before}${named}${owned}${after}}`;
  const bytes = Buffer.byteLength(text);
  const sizeOf = (part: string) => (bytes === text.length ? part.length : Buffer.byteLength(part));
  const begin = sizeOf(before);
  const brief = begin + sizeOf(named);
  return { text, bytes, begin, brief, end: brief + sizeOf(owned) };
}

function field(separator: string, name: string, value: Json | undefined): string {
  return value === undefined ? "" : `${separator}${jsonText(name)}:${jsonText(value)}`;
}
