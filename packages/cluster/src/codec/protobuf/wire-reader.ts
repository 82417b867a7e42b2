import { BodyDecodeError, TooManyValuesError } from "../body-error.ts";

/** How many more fields a reader and the readers of its nested values read. */
export interface ValueBudget {
  left: number;
}

/** Reads the protobuf wire format sequentially between two offsets. */
export class WireReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #budget: ValueBudget;
  #at: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length, budget: ValueBudget = { left: Number.POSITIVE_INFINITY }) {
    this.#budget = budget;
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  get valuesLeft(): number {
    return this.#budget.left;
  }

  /** Field number and wire type: `number << 3 | type`. */
  tag(): number {
    if (--this.#budget.left < 0) throw new TooManyValuesError();
    const tag = this.integer();
    if (typeof tag !== "number" || tag < 8) throw new BodyDecodeError(`proto: illegal tag ${tag}`);
    return tag;
  }

  /** Reads a varint as a signed 64-bit integer: bigint where a number would lose digits. */
  integer(): number | bigint {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    let long = BigInt(value);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      long |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return toSafeInteger(BigInt.asIntN(64, long));
    }
    throw new BodyDecodeError("proto: integer overflow");
  }

  double(): number {
    const at = this.#advance(8);
    return this.#bytes.readDoubleLE(at);
  }

  text(): string {
    const [start, end] = this.#range();
    return this.#bytes.toString("utf8", start, end);
  }

  bytes(): Buffer {
    const [start, end] = this.#range();
    return this.#bytes.subarray(start, end);
  }

  /** Returns a reader of a length-delimited value. */
  nested(): WireReader {
    const [start, end] = this.#range();
    return new WireReader(this.#bytes, start, end, this.#budget);
  }

  skip(wireType: number): void {
    switch (wireType) {
      case VARINT:
        this.integer();
        return;
      case FIXED64:
        this.#advance(8);
        return;
      case LENGTH:
        this.#range();
        return;
      case FIXED32:
        this.#advance(4);
        return;
      default:
        throw new BodyDecodeError(`proto: illegal wireType ${wireType}`);
    }
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new BodyDecodeError("unexpected EOF");
    return this.#bytes[this.#at++]!;
  }

  #range(): readonly [number, number] {
    const length = this.integer();
    if (length < 0) throw new BodyDecodeError("proto: negative length found during unmarshaling");
    const start = this.#advance(Number(length));
    return [start, this.#at];
  }

  #advance(length: number): number {
    const start = this.#at;
    if (start + length > this.#end) throw new BodyDecodeError("unexpected EOF");
    this.#at += length;
    return start;
  }
}

export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH = 2;
export const FIXED32 = 5;

function toSafeInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
