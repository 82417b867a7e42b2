import { stringifyJson } from "pintle/internal/json";
import { memoize } from "pintle/internal/memoize";
import type { Json, JsonObject } from "pintle/kinds";
import type { ScalarTypeCode } from "./message-descriptors.ts";
import { FIXED64, LENGTH, VARINT } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

type ScalarWriter = (writer: WireWriter, field: number, value: Json) => void;

/** Encoders of the scalar types. As in Go, zero values are encoded; absent values never get here. */
export const SCALAR_WRITERS: Readonly<Record<ScalarTypeCode, ScalarWriter>> = {
  s: writeStringField,
  n: writeIntegerField,
  b: (writer, field, value) => writeIntegerField(writer, field, value === true ? 1 : 0),
  d(writer, field, value) {
    writer.double(Number(value));
    writer.tag(field, FIXED64);
  },
  y(writer, field, value) {
    const from = writer.length;
    writer.bytes(Buffer.from(value as string, "base64"));
    writer.wrapLengthDelimited(field, from);
  },
  q(writer, field, value) {
    const from = writer.length;
    writeStringField(writer, 1, value);
    writer.wrapLengthDelimited(field, from);
  },
  i(writer, field, value) {
    const from = writer.length;
    const isText = typeof value === "string";
    writeStringField(writer, 3, isText ? value : "");
    writeIntegerField(writer, 2, isText ? 0 : value);
    writeIntegerField(writer, 1, isText ? 1 : 0);
    writer.wrapLengthDelimited(field, from);
  },
  t: (writer, field, value) => writeTimeField(writer, field, value, () => 0),
  m: (writer, field, value) => writeTimeField(writer, field, value, parseMicroseconds),
  r(writer, field, value) {
    const from = writer.length;
    if (value !== null) {
      writer.bytes(encodeJson(value));
      writer.wrapLengthDelimited(1, from);
    }
    writer.wrapLengthDelimited(field, from);
  },
  e(writer, field, value) {
    const from = writer.length;
    for (const item of [...(value as readonly string[])].reverse()) writeStringField(writer, 1, item);
    writer.wrapLengthDelimited(field, from);
  },
};

function writeStringField(writer: WireWriter, field: number, value: Json): void {
  const from = writer.length;
  writer.text(value as string);
  writer.integer(writer.length - from);
  writer.tag(field, LENGTH);
}

function writeIntegerField(writer: WireWriter, field: number, value: Json): void {
  writer.integer(value as number | bigint);
  writer.tag(field, VARINT);
}

/** The zero time is an empty message. */
function writeTimeField(writer: WireWriter, field: number, value: Json, nanos: (text: string) => number): void {
  const from = writer.length;
  if (typeof value === "string") {
    writeIntegerField(writer, 2, nanos(value));
    writeIntegerField(writer, 1, Math.floor(Date.parse(value) / 1000));
  }
  writer.wrapLengthDelimited(field, from);
}

function parseMicroseconds(time: string): number {
  return Number((/\.(\d{1,6})/.exec(time)?.[1] ?? "").padEnd(6, "0")) * 1000;
}

/** Objects of a kind share their field sets, which are encoded once. */
const encodeFrozenJson = memoize((value: JsonObject | readonly Json[]) => Buffer.from(stringifyJson(value)));

function encodeJson(value: Json): Uint8Array {
  if (value === null || typeof value !== "object" || !Object.isFrozen(value)) return Buffer.from(stringifyJson(value));
  return encodeFrozenJson(value);
}
