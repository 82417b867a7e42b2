import type { Json } from "pintle/kinds";
import { jsonText } from "../json/text.ts";
import type { Letter } from "./messages.ts";
import { FIXED64, LENGTH, VARINT } from "./wire.ts";
import type { WireWriter } from "./wire-writer.ts";

type Write = (writer: WireWriter, field: number, value: Json) => void;

/** The other way round from LETTERS: JSON values as fields. Like Go, zeros are written; what is missing is not asked about. */
export const WRITE: Readonly<Record<Letter, Write>> = {
  s: textField,
  n: integerField,
  b: (writer, field, value) => integerField(writer, field, value === true ? 1 : 0),
  d(writer, field, value) {
    writer.double(Number(value));
    writer.tag(field, FIXED64);
  },
  y(writer, field, value) {
    const from = writer.length;
    writer.bytes(Buffer.from(value as string, "base64"));
    writer.wrap(field, from);
  },
  q(writer, field, value) {
    const from = writer.length;
    textField(writer, 1, value);
    writer.wrap(field, from);
  },
  i(writer, field, value) {
    const from = writer.length;
    const isText = typeof value === "string";
    textField(writer, 3, isText ? value : "");
    integerField(writer, 2, isText ? 0 : value);
    integerField(writer, 1, isText ? 1 : 0);
    writer.wrap(field, from);
  },
  t: (writer, field, value) => timeField(writer, field, value, () => 0),
  m: (writer, field, value) => timeField(writer, field, value, microseconds),
  r(writer, field, value) {
    const from = writer.length;
    if (value !== null) {
      writer.bytes(jsonBytes(value));
      writer.wrap(1, from);
    }
    writer.wrap(field, from);
  },
  e(writer, field, value) {
    const from = writer.length;
    for (const item of [...(value as readonly string[])].reverse()) textField(writer, 1, item);
    writer.wrap(field, from);
  },
};

function textField(writer: WireWriter, field: number, value: Json): void {
  const from = writer.length;
  writer.text(value as string);
  writer.integer(writer.length - from);
  writer.tag(field, LENGTH);
}

function integerField(writer: WireWriter, field: number, value: Json): void {
  writer.integer(value as number | bigint);
  writer.tag(field, VARINT);
}

/** The zero time is nothing at all. */
function timeField(writer: WireWriter, field: number, value: Json, nanos: (text: string) => number): void {
  const from = writer.length;
  if (typeof value === "string") {
    integerField(writer, 2, nanos(value));
    integerField(writer, 1, Math.floor(Date.parse(value) / 1000));
  }
  writer.wrap(field, from);
}

function microseconds(time: string): number {
  return Number((/\.(\d{1,6})/.exec(time)?.[1] ?? "").padEnd(6, "0")) * 1000;
}

/** Objects of a kind share their sets of owned fields: their text is made once. */
const known = new WeakMap<object, Buffer>();

function jsonBytes(value: Json): Uint8Array {
  if (value === null || typeof value !== "object" || !Object.isFrozen(value)) return Buffer.from(jsonText(value));
  let bytes = known.get(value);
  if (bytes === undefined) {
    bytes = Buffer.from(jsonText(value));
    known.set(value, bytes);
  }
  return bytes;
}
