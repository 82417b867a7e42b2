import type { Json } from "pintle/kinds";
import { BodyError } from "../body-error.ts";
import { decodeJson } from "../json/decode.ts";
import type { Letter } from "./messages.ts";
import { FIXED64, LENGTH, VARINT, type WireReader } from "./wire.ts";

/** Values that are not plain structs: how they are on the wire, and in JSON. */
export const LETTERS: Readonly<Record<Letter, { readonly wireType: number; readonly zero: Json; read(reader: WireReader): Json }>> = {
  s: { wireType: LENGTH, zero: "", read: (reader) => reader.text() },
  n: { wireType: VARINT, zero: 0, read: (reader) => reader.integer() },
  b: { wireType: VARINT, zero: false, read: (reader) => reader.integer() !== 0 },
  d: { wireType: FIXED64, zero: 0, read: (reader) => reader.double() },
  y: { wireType: LENGTH, zero: null, read: (reader) => reader.bytes().toString("base64") },
  q: { wireType: LENGTH, zero: "0", read: (reader) => textOf(reader.nested()) || "0" },
  i: { wireType: LENGTH, zero: 0, read: (reader) => intOrString(reader.nested()) },
  t: { wireType: LENGTH, zero: null, read: (reader) => time(reader.nested(), () => "") },
  m: {
    wireType: LENGTH,
    zero: null,
    read: (reader) => time(reader.nested(), (nanos) => `.${String(Math.trunc(nanos / 1000)).padStart(6, "0")}`),
  },
  r: { wireType: LENGTH, zero: null, read: (reader) => raw(reader.nested()) },
  e: { wireType: LENGTH, zero: null, read: (reader) => texts(reader.nested()) },
};

function textOf(reader: WireReader): string {
  return texts(reader).at(-1) ?? "";
}

/** The values of field 1, the only one. */
function texts(reader: WireReader): readonly string[] {
  const found: string[] = [];
  while (!reader.done) {
    const tag = reader.tag();
    if (tag >>> 3 === 1) found.push(reader.text());
    else reader.skip(tag & 7);
  }
  return found;
}

function raw(reader: WireReader): Json {
  const text = textOf(reader);
  return text === "" ? null : decodeJson(text).value;
}

function intOrString(reader: WireReader): Json {
  let isText = false;
  let number: number | bigint = 0;
  let text = "";
  while (!reader.done) {
    const tag = reader.tag();
    if (tag >>> 3 === 1) isText = reader.integer() === 1;
    else if (tag >>> 3 === 2) number = reader.integer();
    else if (tag >>> 3 === 3) text = reader.text();
    else reader.skip(tag & 7);
  }
  return isText ? text : number;
}

/** Nothing at all is the zero time, which JSON has as null. */
function time(reader: WireReader, fraction: (nanos: number) => string): Json {
  if (reader.done) return null;
  let seconds = 0;
  let nanos = 0;
  while (!reader.done) {
    const tag = reader.tag();
    if (tag >>> 3 === 1) seconds = Number(reader.integer());
    else if (tag >>> 3 === 2) nanos = Number(reader.integer());
    else reader.skip(tag & 7);
  }
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw new BodyError(`time is out of range: ${seconds} seconds`);
  return date.toISOString().replace(/\.\d+Z$/, `${fraction(nanos)}Z`);
}
