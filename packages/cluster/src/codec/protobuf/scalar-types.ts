import type { Json } from "pintle/kinds";
import { BodyDecodeError } from "../body-error.ts";
import { decodeJson } from "../json/decode.ts";
import type { ScalarTypeCode } from "./message-descriptors.ts";
import { FIXED64, LENGTH, VARINT, type WireReader } from "./wire-reader.ts";

/** Field types that are not plain messages: wire type, zero value and decoder. */
export const SCALAR_TYPES: Readonly<
  Record<ScalarTypeCode, { readonly wireType: number; readonly zero: Json; read(reader: WireReader): Json }>
> = {
  s: { wireType: LENGTH, zero: "", read: (reader) => reader.text() },
  n: { wireType: VARINT, zero: 0, read: (reader) => reader.integer() },
  b: { wireType: VARINT, zero: false, read: (reader) => reader.integer() !== 0 },
  d: { wireType: FIXED64, zero: 0, read: (reader) => reader.double() },
  y: { wireType: LENGTH, zero: null, read: (reader) => reader.bytes().toString("base64") },
  q: { wireType: LENGTH, zero: "0", read: (reader) => readLastString(reader.nested()) || "0" },
  i: { wireType: LENGTH, zero: 0, read: (reader) => readIntOrString(reader.nested()) },
  t: { wireType: LENGTH, zero: null, read: (reader) => readTime(reader.nested(), () => "") },
  m: {
    wireType: LENGTH,
    zero: null,
    read: (reader) => readTime(reader.nested(), (nanos) => `.${String(Math.trunc(nanos / 1000)).padStart(6, "0")}`),
  },
  r: { wireType: LENGTH, zero: null, read: (reader) => readRawJson(reader.nested()) },
  e: { wireType: LENGTH, zero: null, read: (reader) => readStrings(reader.nested()) },
};

function readLastString(reader: WireReader): string {
  return readStrings(reader).at(-1) ?? "";
}

/** Reads the values of field 1, the only field. */
function readStrings(reader: WireReader): readonly string[] {
  const found: string[] = [];
  while (!reader.done) {
    const tag = reader.tag();
    if (tag >>> 3 === 1) found.push(reader.text());
    else reader.skip(tag & 7);
  }
  return found;
}

function readRawJson(reader: WireReader): Json {
  const text = readLastString(reader);
  return text === "" ? null : decodeJson(text, reader.valuesLeft).value;
}

function readIntOrString(reader: WireReader): Json {
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

/** An empty message is the zero time, which is null in JSON. */
function readTime(reader: WireReader, fraction: (nanos: number) => string): Json {
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
  if (Number.isNaN(date.getTime())) throw new BodyDecodeError(`time is out of range: ${seconds} seconds`);
  return date.toISOString().replace(/\.\d+Z$/, `${fraction(nanos)}Z`);
}
