import type { Json } from "pintle/kinds";

/** A field of a protobuf message: a list is a repeated field, bytes are a message, and nothing is written of nothing. */
export type Field = readonly [number: number, value: Value | readonly Value[]];
type Value = Json | Uint8Array | undefined;

export function message(...fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      const values = (Array.isArray(value) ? value : [value]) as readonly Value[];
      return values.flatMap((each) => encoded(number, each));
    }),
  );
}

function encoded(number: number, value: Value): readonly Uint8Array[] {
  if (value === undefined || value === false) return [];
  if (value instanceof Double) return [varint((number << 3) | 1), value];
  if (value === true) return [varint(number << 3), varint(1)];
  if (typeof value === "number" || typeof value === "bigint") return [varint(number << 3), varint(Number(value))];
  const bytes = typeof value === "string" ? Buffer.from(value) : (value as Uint8Array);
  return [varint((number << 3) | 2), varint(bytes.length), bytes];
}

/** Eight bytes that are a number, not a message. */
class Double extends Uint8Array {}

export function double(value: number): Uint8Array {
  const bytes = new Double(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return bytes;
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.from([...bytes, rest]);
}
