/** One value of Distinguished Encoding Rules. */
import { PintleError } from "../errors/index.ts";
export interface DerValue {
  readonly tag: number;
  /** Without tag and length. */
  readonly content: Buffer;
  /** With tag and length. */
  readonly bytes: Buffer;
}

export const DER_TAGS = { integer: 0x02, bitString: 0x03, octetString: 0x04, objectId: 0x06, sequence: 0x30, set: 0x31 } as const;

/** Reads the values of a constructed one, or of a whole text, in order. Throws `PintleError` if they do not fill it exactly. */
export function readDerValues(bytes: Buffer): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const value = readDerValue(bytes, at);
    values.push(value);
    at += value.bytes.length;
  }
  return values;
}

/** Reads the values of a constructed one. Throws `PintleError` if it has another tag. */
export function readDerChildren(value: DerValue | undefined, tag: number): readonly DerValue[] {
  return readDerValues(readDerContent(value, tag));
}

/** Returns the content of a value. Throws `PintleError` if it is missing or has another tag. */
export function readDerContent(value: DerValue | undefined, tag: number): Buffer {
  if (value?.tag !== tag)
    throw new PintleError("PINTLE1061", `expected DER tag 0x${tag.toString(16)}, found ${value?.tag.toString(16) ?? "nothing"}`);
  return value.content;
}

/** Returns an object identifier in dotted form. */
export function readDerObjectId(value: DerValue | undefined): string {
  const content = readDerContent(value, DER_TAGS.objectId);
  const parts: number[] = [];
  let part = 0;
  for (const byte of content) {
    part = part * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (parts.length === 0) {
      const first = Math.min(Math.floor(part / 40), 2);
      parts.push(first, part - first * 40);
    } else parts.push(part);
    part = 0;
  }
  return parts.join(".");
}

function readDerValue(bytes: Buffer, at: number): DerValue {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new PintleError("PINTLE1061", "truncated DER");
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 4 || at + 2 + lengthBytes > bytes.length) throw new PintleError("PINTLE1061", "invalid DER length");
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
  const start = at + 2 + lengthBytes;
  if (start + length > bytes.length) throw new PintleError("PINTLE1061", "truncated DER");
  return { tag, content: bytes.subarray(start, start + length), bytes: bytes.subarray(at, start + length) };
}
