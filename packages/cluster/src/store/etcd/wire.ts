/** Protocol buffers on the wire, as little as etcd's messages need: varints and length-delimited fields. */

type Part = Buffer | undefined;

export function integer(field: number, value: number | bigint): Part {
  return value === 0 || value === 0n ? undefined : Buffer.concat([varint(field << 3), varint(value)]);
}

export function flag(field: number, value: boolean): Part {
  return integer(field, value ? 1 : 0);
}

export function bytes(field: number, value: Uint8Array): Part {
  return value.length === 0 ? undefined : Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);
}

/** Also when it is empty: that a message is there can be all it says. */
export function nested(field: number, message: Uint8Array): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(message.length), message]);
}

export function message(...parts: readonly Part[]): Buffer {
  return Buffer.concat(parts.filter((part) => part !== undefined));
}

function varint(value: number | bigint): Buffer {
  const digits: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    digits.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(digits);
}

/** The fields of a message. A number stands for all integers: those beyond 2^53 are bigint. */
export class Fields {
  readonly #values = new Map<number, (bigint | Buffer)[]>();

  constructor(source: Buffer) {
    let at = 0;
    const next = (): bigint => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = source[at++];
        if (byte === undefined) throw new RangeError("a message of etcd ends too early");
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
        if (at > source.length) throw new RangeError("a message of etcd ends too early");
      } else {
        throw new RangeError(`a message of etcd has a field of type ${tag & 7}`);
      }
      const known = this.#values.get(field);
      if (known === undefined) this.#values.set(field, [value]);
      else known.push(value);
    }
  }

  exact(field: number): bigint {
    const value = this.#values.get(field)?.at(-1);
    return typeof value === "bigint" ? value : 0n;
  }

  integer(field: number): number {
    return Number(BigInt.asIntN(64, this.exact(field)));
  }

  flag(field: number): boolean {
    return this.exact(field) !== 0n;
  }

  bytes(field: number): Buffer {
    const value = this.#values.get(field)?.at(-1);
    return value instanceof Buffer ? value : Buffer.alloc(0);
  }

  text(field: number): string {
    return this.bytes(field).toString();
  }

  nested(field: number): Fields {
    return new Fields(this.bytes(field));
  }

  repeated(field: number): Fields[] {
    return (this.#values.get(field) ?? []).map((value) => new Fields(value as Buffer));
  }
}
