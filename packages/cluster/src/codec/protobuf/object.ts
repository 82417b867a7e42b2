import { type Json, setOwn } from "pintle/kinds";
import { BodyError } from "../body-error.ts";
import { rewritten } from "./json-form.ts";
import type { Field, Letter, Message } from "./messages.ts";
import { LETTERS } from "./values.ts";
import { LENGTH, type WireReader } from "./wire.ts";

/** Reads a message and writes its JSON fields into `into`, as Go's JSON encoder would. */
export function decodeMessage(reader: WireReader, message: Message, into: Record<string, Json>): void {
  const found: (Json | undefined)[] = new Array(message.fields.length);
  while (!reader.done) {
    const tag = reader.tag();
    const field = message.byNumber.get(tag >>> 3);
    if (field === undefined) reader.skip(tag & 7);
    else found[field.index] = read(reader, field, tag & 7, found[field.index], message);
  }
  for (const field of message.fields) write(field, found[field.index], into);
}

/** A struct of its own. */
function decodeStruct(reader: WireReader, message: Message): Json {
  const object: Record<string, Json> = {};
  decodeMessage(reader, message, object);
  return rewritten(message.name, object);
}

function read(reader: WireReader, field: Field, wireType: number, before: Json | undefined, message: Message): Json {
  const { type, shape } = field;
  if (shape === "map") {
    const map = (before ?? {}) as Record<string, Json>;
    entry(reader.nested(), field, map);
    return map;
  }
  const expected = wireTypeOf(type);
  if (shape === "list") {
    const list = (before ?? []) as Json[];
    // Numbers of a list may come packed into one field.
    if (wireType === LENGTH && expected !== LENGTH) {
      for (const packed = reader.nested(); !packed.done; ) list.push(value(packed, type));
    } else list.push(checked(reader, type, wireType, expected, field, message));
    return list;
  }
  return checked(reader, type, wireType, expected, field, message);
}

function checked(reader: WireReader, type: Field["type"], wireType: number, expected: number, field: Field, message: Message): Json {
  if (wireType !== expected)
    throw new BodyError(`proto: wrong wireType = ${wireType} for field ${field.json ?? field.number} of ${message.name}`);
  return value(reader, type);
}

function value(reader: WireReader, type: Field["type"]): Json {
  return typeof type === "string" ? LETTERS[type].read(reader) : decodeStruct(reader.nested(), type());
}

function wireTypeOf(type: Field["type"]): number {
  return typeof type === "string" ? LETTERS[type].wireType : LENGTH;
}

function entry(reader: WireReader, { type }: Field, map: Record<string, Json>): void {
  let key = "";
  let found: Json | undefined;
  while (!reader.done) {
    const tag = reader.tag();
    if (tag >>> 3 === 1) key = reader.text();
    else if (tag >>> 3 === 2) found = value(reader, type);
    else reader.skip(tag & 7);
  }
  setOwn(map, key, found ?? zero(type));
}

function write(field: Field, found: Json | undefined, into: Record<string, Json>): void {
  const { presence, json, shape, type } = field;
  if (json === undefined) {
    Object.assign(into, found ?? zero(type));
    return;
  }
  if (presence === "wire") {
    if (found !== undefined) setOwn(into, json, found);
  } else if (presence === "null") setOwn(into, json, found ?? null);
  else if (presence === "always") setOwn(into, json, found ?? (shape === "one" ? zero(type) : null));
  else if (found !== undefined && !isZero(found)) setOwn(into, json, found);
}

function zero(type: Field["type"]): Json {
  if (typeof type === "string") return LETTERS[type as Letter].zero;
  const object: Record<string, Json> = {};
  const message = type();
  for (const field of message.fields) write(field, undefined, object);
  return rewritten(message.name, object);
}

function isZero(value: Json): boolean {
  return value === "" || value === 0 || value === false || value === null;
}
