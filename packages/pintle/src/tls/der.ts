/** Distinguished Encoding Rules: the ASN.1 types of X.509 certificates. */

export function sequence(...parts: readonly Buffer[]): Buffer {
  return encodeTagged(0x30, Buffer.concat(parts));
}
export function set(...parts: readonly Buffer[]): Buffer {
  return encodeTagged(0x31, Buffer.concat(parts));
}
/** Context-specific and constructed: [n] EXPLICIT. */
export function explicit(n: number, part: Buffer): Buffer {
  return encodeTagged(0xa0 | n, part);
}
/** Context-specific and primitive: [n] IMPLICIT. */
export function implicit(n: number, content: Buffer): Buffer {
  return encodeTagged(0x80 | n, content);
}
export function octetString(content: Buffer): Buffer {
  return encodeTagged(0x04, content);
}
export function bitString(content: Buffer, unused = 0): Buffer {
  return encodeTagged(0x03, Buffer.concat([Buffer.from([unused]), content]));
}
export function utf8String(text: string): Buffer {
  return encodeTagged(0x0c, Buffer.from(text));
}
export function boolean(value: boolean): Buffer {
  return encodeTagged(0x01, Buffer.from([value ? 0xff : 0]));
}
export function smallInteger(value: number): Buffer {
  return encodeTagged(0x02, Buffer.from([value]));
}
/** A positive integer of any length. */
export function integer(content: Buffer): Buffer {
  const start = content.findIndex((byte) => byte !== 0);
  const trimmed = start === -1 ? Buffer.from([0]) : content.subarray(start);
  // A leading one bit would make it negative.
  return encodeTagged(0x02, (trimmed[0] as number) < 0x80 ? trimmed : Buffer.concat([Buffer.from([0]), trimmed]));
}
/** UTCTime up to 2049, GeneralizedTime from then on. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return date.getUTCFullYear() < 2050
    ? encodeTagged(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : encodeTagged(0x18, Buffer.from(`${digits}Z`));
}
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return encodeTagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(encodeBase128)]));
}

function encodeBase128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

function encodeTagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const header = length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), content]);
}
