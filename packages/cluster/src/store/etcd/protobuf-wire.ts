/** Protobuf wire format as far as etcd's messages need it: varints and length-delimited fields. */
import { encodeVarint } from "../../codec/index.ts";

type EncodedField = Buffer | undefined;

export function encodeInteger(field: number, value: number | bigint): EncodedField {
  return value === 0 || value === 0n ? undefined : Buffer.concat([encodeVarint(field << 3), encodeVarint(value)]);
}

export function encodeBool(field: number, value: boolean): EncodedField {
  return encodeInteger(field, value ? 1 : 0);
}

export function encodeBytes(field: number, value: Uint8Array): EncodedField {
  return value.length === 0 ? undefined : Buffer.concat([encodeVarint((field << 3) | 2), encodeVarint(value.length), value]);
}

/** Encodes an embedded message, also when it is empty: its presence can be significant. */
export function encodeMessage(field: number, message: Uint8Array): Buffer {
  return Buffer.concat([encodeVarint((field << 3) | 2), encodeVarint(message.length), message]);
}

export function concatFields(...parts: readonly EncodedField[]): Buffer {
  return Buffer.concat(parts.filter((part) => part !== undefined));
}

/** The decoded fields of a message. */
export class MessageFields {
  readonly #values = new Map<number, (bigint | Buffer)[]>();

  constructor(source: Buffer) {
    let at = 0;
    const next = (): bigint => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = source[at++];
        if (byte === undefined) throw new RangeError("a message of etcd is truncated");
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    };
    while (at < source.length) {
      const tag = Number(next());
      const field = tag >> 3;
      let value: bigint | Buffer;
      if ((tag & 7) === 0) {
        value = next();
      } else if ((tag & 7) === 2) {
        const length = Number(next());
        value = source.subarray(at, at + length);
        at += length;
        if (at > source.length) throw new RangeError("a message of etcd is truncated");
      } else {
        throw new RangeError(`a message of etcd has a field of unknown wire type ${tag & 7}`);
      }
      const known = this.#values.get(field);
      if (known === undefined) this.#values.set(field, [value]);
      else known.push(value);
    }
  }

  uint64(field: number): bigint {
    const value = this.#values.get(field)?.at(-1);
    return typeof value === "bigint" ? value : 0n;
  }

  int64(field: number): number {
    return Number(BigInt.asIntN(64, this.uint64(field)));
  }

  bool(field: number): boolean {
    return this.uint64(field) !== 0n;
  }

  bytes(field: number): Buffer {
    const value = this.#values.get(field)?.at(-1);
    return value instanceof Buffer ? value : Buffer.alloc(0);
  }

  string(field: number): string {
    return this.bytes(field).toString();
  }

  message(field: number): MessageFields {
    return new MessageFields(this.bytes(field));
  }

  repeated(field: number): MessageFields[] {
    return (this.#values.get(field) ?? []).map((value) => new MessageFields(value as Buffer));
  }
}
