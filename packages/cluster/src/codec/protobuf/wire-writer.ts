import { type FIXED64, LENGTH, type VARINT } from "./wire-reader.ts";

const SHORT_STRING_LENGTH = 40;

/** Writes the protobuf wire format backwards, from the last byte to the first, so that lengths are known when they are written. */
export class WireWriter {
  #bytes: Buffer;
  #at: number;

  constructor(size = 1024) {
    this.#bytes = Buffer.allocUnsafe(size);
    this.#at = size;
  }

  /** Number of bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** The written bytes, valid until the next write. */
  toBuffer(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  /** Discards the content and reuses the memory. */
  clear(): void {
    this.#at = this.#bytes.length;
  }

  bytes(content: Uint8Array): void {
    const at = this.#reserve(content.length);
    this.#bytes.set(content, at);
  }

  text(text: string): void {
    if (text.length <= SHORT_STRING_LENGTH && this.#shortText(text)) return;
    const length = Buffer.byteLength(text);
    const at = this.#reserve(length);
    this.#bytes.write(text, at, length, length === text.length ? "latin1" : "utf8");
  }

  /** Writes short ASCII text without a native call, which would cost more; returns false for other text. */
  #shortText(text: string): boolean {
    const at = this.#reserve(text.length);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) {
        this.#at += text.length;
        return false;
      }
      this.#bytes[at + i] = code;
    }
    return true;
  }

  integer(value: number | bigint): void {
    if (typeof value === "bigint" || value < 0 || value > 0x7fffffff) {
      this.bytes(encodeVarint(value));
      return;
    }
    let size = 1;
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
    let at = this.#reserve(size);
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[at++] = (rest & 0x7f) | 0x80;
    this.#bytes[at] = rest;
  }

  double(value: number): void {
    const at = this.#reserve(8);
    this.#bytes.writeDoubleLE(value, at);
  }

  /** Writes the tag of a field in front of its value. */
  tag(field: number, wireType: typeof VARINT | typeof FIXED64 | typeof LENGTH): void {
    this.integer((field << 3) | wireType);
  }

  /** Writes length and tag in front of everything written since length `from`, making it the value of a field. */
  wrapLengthDelimited(field: number, from: number): void {
    this.integer(this.length - from);
    this.tag(field, LENGTH);
  }

  #reserve(length: number): number {
    if (length > this.#at) {
      const used = this.toBuffer();
      const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, used.length + length));
      grown.set(used, grown.length - used.length);
      this.#at = grown.length - used.length;
      this.#bytes = grown;
    }
    this.#at -= length;
    return this.#at;
  }
}

/** Encodes an integer as a varint; a negative one takes ten bytes. */
export function encodeVarint(value: number | bigint): Buffer {
  const digits: number[] = [];
  if (typeof value === "number" && value >= 0 && value <= 0x7fffffff) {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) digits.push((rest & 0x7f) | 0x80);
    digits.push(rest);
  } else {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) digits.push(Number(rest & 0x7fn) | 0x80);
    digits.push(Number(rest));
  }
  return Buffer.from(digits);
}
