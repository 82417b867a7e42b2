import type { StoreEntry } from "../../store/index.ts";

/** How the bytes of a stored entry are copied into a response. */
export interface EntryEncoding {
  canEncode(entry: StoreEntry): boolean;
  size(entry: StoreEntry): number;
  /** Returns the number of bytes copied. */
  copy(entry: StoreEntry, target: Buffer, at: number): number;
}

/** JSON text, followed by a stored entry, if there is one. */
export interface JsonSegment {
  readonly prefix: string;
  readonly entry?: StoreEntry | undefined;
}

export interface SplicedJson {
  readonly head: string;
  /** Separated by commas. */
  readonly segments: readonly JsonSegment[];
  readonly encoding: EntryEncoding;
  /** Written after each segment. */
  readonly suffix: string;
  readonly tail: string;
}

const COMMA = 0x2c;
const BRACE = 0x7b;

/** Returns the number of bytes of the JSON. */
export function measureJson({ head, segments, encoding, suffix, tail }: SplicedJson): number {
  let size = Buffer.byteLength(head) + Buffer.byteLength(tail);
  for (const { prefix, entry } of segments) {
    size += 1 + Buffer.byteLength(prefix) + suffix.length + (entry === undefined ? 0 : encoding.size(entry));
  }
  return size - (segments.length > 0 ? 1 : 0);
}

/** Builds JSON whose greater part is copied from stored bytes, in chunks of about this size. */
export function* spliceJson({ head, segments, encoding, suffix, tail }: SplicedJson, chunkBytes: number): Generator<Uint8Array> {
  let bytes = Buffer.allocUnsafeSlow(Math.max(chunkBytes, Buffer.byteLength(head) + tail.length));
  let at = bytes.write(head);
  for (const [index, { prefix, entry }] of segments.entries()) {
    const around = (index > 0 ? 1 : 0) + suffix.length + (index === segments.length - 1 ? tail.length : 0);
    const size = around + Buffer.byteLength(prefix) + (entry === undefined ? 0 : encoding.size(entry));
    if (at + size > bytes.length) {
      yield bytes.subarray(0, at);
      bytes = Buffer.allocUnsafeSlow(Math.max(chunkBytes, size));
      at = 0;
    }
    if (index > 0) bytes[at++] = COMMA;
    if (prefix !== "") at += bytes.write(prefix, at);
    if (entry !== undefined) at += encoding.copy(entry, bytes, at);
    if (suffix !== "") at += bytes.write(suffix, at);
  }
  yield bytes.subarray(0, at + bytes.write(tail, at));
}

export const wholeEntryEncoding: EntryEncoding = {
  canEncode: () => true,
  size: (entry) => entry.byteLength,
  copy: (entry, target, at) => entry.copyJson(target, at),
};

/** Encodes the object without the fields that it starts with. */
export function untypedEntryEncoding(typeMetaPrefix: string): EntryEncoding {
  const start = Buffer.from(typeMetaPrefix);
  return {
    canEncode: (entry) => entry.startsWith(start),
    size: (entry) => entry.byteLength - start.length + 1,
    copy(entry, target, at) {
      target[at] = BRACE;
      return 1 + entry.copyJson(target, at + 1, start.length);
    },
  };
}

/** Encodes the metadata of the object as PartialObjectMetadata. */
export function metadataEncoding(version: "v1" | "v1beta1"): EntryEncoding {
  const before = Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":`);
  return {
    canEncode: () => true,
    size: (entry) => before.length + entry.metadataByteLength + 1,
    copy(entry, target, at) {
      before.copy(target, at);
      const end = at + before.length + entry.copyMetadata(target, at + before.length);
      target.write("}", end);
      return end + 1 - at;
    },
  };
}
