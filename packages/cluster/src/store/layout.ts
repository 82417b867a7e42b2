import type { JsonObject } from "pintle/kinds";
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

const OWNERS = '"managedFields":[';

/** Of a value whose metadata is in that order: see `stamp`. */
export function layout(value: JsonObject): Layout {
  const { kind, apiVersion } = value;
  let before = "{";
  if (kind !== undefined) before += `"kind":${quoted(kind as string)},`;
  if (apiVersion !== undefined) before += `"apiVersion":${quoted(apiVersion as string)},`;
  before += '"metadata":';
  const metadata = jsonText(value["metadata"]);
  // No text and no name in the metadata can look like this, as its quotes would be escaped.
  const owners = metadata.indexOf(OWNERS);
  const named = owners === -1 ? metadata.length - 1 : Math.max(owners - 1, 1);
  let text = before + metadata;
  for (const name in value) {
    if (name === "kind" || name === "apiVersion" || name === "metadata") continue;
    const part = value[name];
    if (part !== undefined) text += `,${quoted(name)}:${jsonText(part)}`;
  }
  text += "}";
  const bytes = Buffer.byteLength(text);
  const begin = before.length;
  if (bytes === text.length) return { text, bytes, begin, brief: begin + named, end: begin + metadata.length };
  const start = Buffer.byteLength(before);
  return {
    text,
    bytes,
    begin: start,
    brief: start + Buffer.byteLength(metadata.slice(0, named)),
    end: start + Buffer.byteLength(metadata),
  };
}

/** Kinds and names of fields repeat for ever. */
const known = new Map<string, string>();
const MAX_KNOWN = 1000;

function quoted(text: string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  const made = jsonText(text);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, made);
  return made;
}
