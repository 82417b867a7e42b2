import type { Entry } from "../../store/index.ts";

/** How what is stored stands in an answer. */
export interface Form {
  fits(entry: Entry): boolean;
  size(entry: Entry): number;
  /** Returns how many bytes that were. */
  copy(entry: Entry, target: Buffer, at: number): number;
}

/** Text, and behind it what is stored, if there is any. */
export interface Part {
  readonly lead: string;
  readonly entry?: Entry | undefined;
}

export interface Pieces {
  readonly begin: string;
  /** With commas between them. */
  readonly parts: readonly Part[];
  readonly form: Form;
  /** Behind each part. */
  readonly trail: string;
  readonly end: string;
}

const COMMA = 0x2c;
const BRACE = 0x7b;

/** JSON whose greater part is copied from where it is stored. */
export function pieced({ begin, parts, form, trail, end }: Pieces): Uint8Array {
  let size = Buffer.byteLength(begin) + Buffer.byteLength(end);
  for (const { lead, entry } of parts) {
    size += 1 + Buffer.byteLength(lead) + trail.length + (entry === undefined ? 0 : form.size(entry));
  }
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = bytes.write(begin);
  for (const [index, { lead, entry }] of parts.entries()) {
    if (index > 0) bytes[at++] = COMMA;
    if (lead !== "") at += bytes.write(lead, at);
    if (entry !== undefined) at += form.copy(entry, bytes, at);
    if (trail !== "") at += bytes.write(trail, at);
  }
  return bytes.subarray(0, at + bytes.write(end, at));
}

export const wholeForm: Form = {
  fits: () => true,
  size: (entry) => entry.length,
  copy: (entry, target, at) => entry.copyText(target, at),
};

/** The object without fields that it begins with. */
export function plainForm(unsaid: string): Form {
  const start = Buffer.from(unsaid);
  return {
    fits: (entry) => entry.startsWith(start),
    size: (entry) => entry.length - start.length + 1,
    copy(entry, target, at) {
      target[at] = BRACE;
      return 1 + entry.copyText(target, at + 1, start.length);
    },
  };
}

/** Only what every object has. */
export function metadataForm(version: "v1" | "v1beta1"): Form {
  const before = Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":`);
  return {
    fits: () => true,
    size: (entry) => before.length + entry.metadataLength + 1,
    copy(entry, target, at) {
      before.copy(target, at);
      const end = at + before.length + entry.copyMetadata(target, at + before.length);
      target.write("}", end);
      return end + 1 - at;
    },
  };
}
