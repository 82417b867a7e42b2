import type { Json } from "pintle/kinds";
import { encodeVarint } from "../../../codec/index.ts";

/** A field of a protobuf message: a list is a repeated field, bytes are a message, undefined and false are not written. */
export type ProtobufField = readonly [number: number, value: ProtobufValue | readonly ProtobufValue[]];
type ProtobufValue = Json | Uint8Array | undefined;

export function encodeMessage(...fields: readonly ProtobufField[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      const values = (Array.isArray(value) ? value : [value]) as readonly ProtobufValue[];
      return values.flatMap((each) => encodeField(number, each));
    }),
  );
}

function encodeField(number: number, value: ProtobufValue): readonly Uint8Array[] {
  if (value === undefined || value === false) return [];
  if (value instanceof Double) return [encodeVarint((number << 3) | 1), value];
  if (value === true) return [encodeVarint(number << 3), encodeVarint(1)];
  if (typeof value === "number" || typeof value === "bigint") return [encodeVarint(number << 3), encodeVarint(value)];
  const bytes = typeof value === "string" ? Buffer.from(value) : (value as Uint8Array);
  return [encodeVarint((number << 3) | 2), encodeVarint(bytes.length), bytes];
}

/** Eight bytes of a number, not a message. */
class Double extends Uint8Array {}

export function encodeDouble(value: number): Uint8Array {
  const bytes = new Double(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return bytes;
}
