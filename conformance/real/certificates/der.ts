/** DER encoding of the ASN.1 types that a certificate consists of. */

export type Der = Buffer<ArrayBufferLike>;

export function sequence(...parts: readonly Der[]): Der {
  return encodeTagged(0x30, ...parts);
}

export function set(...parts: readonly Der[]): Der {
  return encodeTagged(0x31, ...parts);
}

/** A non-negative integer, from its bytes, most significant first. */
export function integer(bytes: Uint8Array): Der {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = Buffer.from(bytes.subarray(start));
  // A set top bit would make it negative.
  return encodeTagged(0x02, (digits[0] ?? 0) & 0x80 ? Buffer.from([0]) : Buffer.alloc(0), digits);
}

export function boolean(value: boolean): Der {
  return encodeTagged(0x01, Buffer.from([value ? 0xff : 0x00]));
}

export function objectId(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return encodeTagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(encodeBase128)]));
}

export function utf8(text: string): Der {
  return encodeTagged(0x0c, Buffer.from(text));
}

/** UTCTime, which X.509 prescribes for years up to 2049. */
export function utcTime(time: Date): Der {
  return encodeTagged(0x17, Buffer.from(`${time.toISOString().slice(2, 19).replaceAll(/[-:T]/g, "")}Z`));
}

export function octetString(bytes: Uint8Array): Der {
  return encodeTagged(0x04, Buffer.from(bytes));
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Der {
  return encodeTagged(0x03, Buffer.from([unusedBits]), Buffer.from(bytes));
}

/** `[number] IMPLICIT` of a primitive type. */
export function implicit(number: number, content: Uint8Array): Der {
  return encodeTagged(0x80 | number, Buffer.from(content));
}

/** `[number] EXPLICIT`. */
export function explicit(number: number, ...parts: readonly Der[]): Der {
  return encodeTagged(0xa0 | number, ...parts);
}

function encodeTagged(tag: number, ...parts: readonly Der[]): Der {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...encodeLength(content.length)]), content]);
}

function encodeLength(value: number): readonly number[] {
  if (value < 0x80) return [value];
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

function encodeBase128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
