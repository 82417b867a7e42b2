import { setOwnProperty } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { BodyDecodeError } from "../body-error.ts";
import type { FieldDescriptor, MessageDescriptor, ScalarTypeCode } from "./message-descriptors.ts";
import { SCALAR_TYPES } from "./scalar-types.ts";
import { mergeUnion } from "./union-types.ts";
import { LENGTH, type WireReader } from "./wire-reader.ts";

/** Decodes a message into the JSON fields of `into`, as Go's JSON encoder would write them. */
export function decodeMessage(reader: WireReader, message: MessageDescriptor, into: Record<string, Json>): void {
  const found: (Json | undefined)[] = new Array(message.fields.length);
  while (!reader.done) {
    const tag = reader.tag();
    const field = message.byNumber.get(tag >>> 3);
    if (field === undefined) reader.skip(tag & 7);
    else found[field.index] = readField(reader, field, tag & 7, found[field.index], message);
  }
  for (const field of message.fields) writeJsonField(field, found[field.index], into);
}

/** Decodes an embedded message. */
function decodeStruct(reader: WireReader, message: MessageDescriptor): Json {
  const object: Record<string, Json> = {};
  decodeMessage(reader, message, object);
  return mergeUnion(message.name, object);
}

function readField(
  reader: WireReader,
  field: FieldDescriptor,
  wireType: number,
  before: Json | undefined,
  message: MessageDescriptor,
): Json {
  const { type, shape } = field;
  if (shape === "map") {
    const map = (before ?? {}) as Record<string, Json>;
    readMapEntry(reader.nested(), field, map);
    return map;
  }
  const expected = wireTypeFor(type);
  if (shape === "list") {
    const list = (before ?? []) as Json[];
    // Numbers of a list may be packed into one field.
    if (wireType === LENGTH && expected !== LENGTH) {
      for (const packed = reader.nested(); !packed.done; ) list.push(readValue(packed, type));
    } else list.push(readChecked(reader, type, wireType, expected, field, message));
    return list;
  }
  return readChecked(reader, type, wireType, expected, field, message);
}

function readChecked(
  reader: WireReader,
  type: FieldDescriptor["type"],
  wireType: number,
  expected: number,
  field: FieldDescriptor,
  message: MessageDescriptor,
): Json {
  if (wireType !== expected)
    throw new BodyDecodeError(`proto: wrong wireType = ${wireType} for field ${field.json ?? field.number} of ${message.name}`);
  return readValue(reader, type);
}

function readValue(reader: WireReader, type: FieldDescriptor["type"]): Json {
  return typeof type === "string" ? SCALAR_TYPES[type].read(reader) : decodeStruct(reader.nested(), type());
}

function wireTypeFor(type: FieldDescriptor["type"]): number {
  return typeof type === "string" ? SCALAR_TYPES[type].wireType : LENGTH;
}

function readMapEntry(reader: WireReader, { type }: FieldDescriptor, map: Record<string, Json>): void {
  let key = "";
  let found: Json | undefined;
  while (!reader.done) {
    const tag = reader.tag();
    if (tag >>> 3 === 1) key = reader.text();
    else if (tag >>> 3 === 2) found = readValue(reader, type);
    else reader.skip(tag & 7);
  }
  setOwnProperty(map, key, found ?? zeroValue(type));
}

function writeJsonField(field: FieldDescriptor, found: Json | undefined, into: Record<string, Json>): void {
  const { presence, json, shape, type } = field;
  if (json === undefined) {
    Object.assign(into, found ?? zeroValue(type));
    return;
  }
  if (presence === "wire") {
    if (found !== undefined) setOwnProperty(into, json, found);
  } else if (presence === "null") setOwnProperty(into, json, found ?? null);
  else if (presence === "always") setOwnProperty(into, json, found ?? (shape === "one" ? zeroValue(type) : null));
  else if (found !== undefined && !isZero(found)) setOwnProperty(into, json, found);
}

function zeroValue(type: FieldDescriptor["type"]): Json {
  if (typeof type === "string") return SCALAR_TYPES[type as ScalarTypeCode].zero;
  const object: Record<string, Json> = {};
  const message = type();
  for (const field of message.fields) writeJsonField(field, undefined, object);
  return mergeUnion(message.name, object);
}

function isZero(value: Json): boolean {
  return value === "" || value === 0 || value === false || value === null;
}
