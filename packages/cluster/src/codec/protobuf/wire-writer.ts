import { type FIXED64, LENGTH, type VARINT } from "./wire.ts";

const SHORT = 40;

/**
 * Writes the protobuf wire format backwards, from the last byte to the first: when the length of something is written
 * in front of it, it is known.
 */
export class WireWriter {
  #bytes: Buffer;
  #at: number;

  constructor(size = 1024) {
    this.#bytes = Buffer.allocUnsafe(size);
    this.#at = size;
  }

  /** How many bytes there are so far. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** Valid until something is written again. */
  finished(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  /** Starts anew, in the same memory. */
  clear(): void {
    this.#at = this.#bytes.length;
  }

  bytes(content: Uint8Array): void {
    const at = this.#room(content.length);
    this.#bytes.set(content, at);
  }

  text(text: string): void {
    if (text.length <= SHORT && this.#shortText(text)) return;
    const length = Buffer.byteLength(text);
    const at = this.#room(length);
    this.#bytes.write(text, at, length, length === text.length ? "latin1" : "utf8");
  }

  /** Most text is short and ASCII: then going into native code costs more than writing it. False: it is not. */
  #shortText(text: string): boolean {
    const at = this.#room(text.length);
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
      this.#long(BigInt(value));
      return;
    }
    let size = 1;
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
    let at = this.#room(size);
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[at++] = (rest & 0x7f) | 0x80;
    this.#bytes[at] = rest;
  }

  double(value: number): void {
    const at = this.#room(8);
    this.#bytes.writeDoubleLE(value, at);
  }

  /** In front of a value of this field. */
  tag(field: number, wireType: typeof VARINT | typeof FIXED64 | typeof LENGTH): void {
    this.integer((field << 3) | wireType);
  }

  /** In front of everything since there were `from` bytes: that it is the value of a field. */
  wrap(field: number, from: number): void {
    this.integer(this.length - from);
    this.tag(field, LENGTH);
  }

  #long(value: bigint): void {
    const digits: number[] = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest > 0x7fn; rest >>= 7n) digits.push(Number(rest & 0x7fn) | 0x80);
    digits.push(Number(rest));
    this.bytes(Uint8Array.from(digits));
  }

  #room(length: number): number {
    if (length > this.#at) {
      const used = this.finished();
      const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, used.length + length));
      grown.set(used, grown.length - used.length);
      this.#at = grown.length - used.length;
      this.#bytes = grown;
    }
    this.#at -= length;
    return this.#at;
  }
}
