import type { Json, JsonObject } from "pintle/kinds";
import { recent } from "../recent.ts";
import { fieldsOf } from "./json-form.ts";
import { type Field, type Letter, type Message, messageOfAnswer } from "./messages.ts";
import { LETTERS } from "./values.ts";
import { WireWriter } from "./wire-writer.ts";
import { WRITE } from "./write-value.ts";

const MAGIC = Buffer.from("k8s\0");

/** Whether an answer of a kind can be written as protobuf at all: custom resources and tables cannot. */
export function hasProtobuf(apiVersion: string, kind: string): boolean {
  return messageOfAnswer(apiVersion, kind) !== undefined;
}

/** An answer as application/vnd.kubernetes.protobuf, byte for byte as Go writes it. Its kind must have a message. */
export function encodeProtobuf(object: JsonObject): Buffer {
  const writer = new WireWriter(4096);
  writeEnvelope(writer, object);
  return writer.finished();
}

/** An item of a list that need not be put together if it was written before. */
export interface StoredItem {
  /** Stands for what it holds now. */
  readonly key: object;
  read(): JsonObject;
}

/** A list without its items, and those. */
export function encodeProtobufList(list: JsonObject, items: readonly StoredItem[]): Buffer {
  const writer = new WireWriter(4096);
  writeEnvelope(writer, list, items);
  return writer.finished();
}

/** One event of a watch, with its length in front. */
export function encodeWatchEvent(type: string, object: JsonObject): Buffer {
  const writer = new WireWriter(4096);
  writeEnvelope(writer, object);
  writer.wrap(1, 0);
  writer.wrap(2, 0);
  WRITE.s(writer, 1, type);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(writer.length);
  writer.bytes(length);
  return writer.finished();
}

/** What says which kind it is, and holds the object. */
function writeEnvelope(writer: WireWriter, object: JsonObject, items?: readonly StoredItem[]): void {
  const { apiVersion = "", kind = "" } = object as { readonly apiVersion?: string; readonly kind?: string };
  const message = messageOfAnswer(apiVersion, kind);
  if (message === undefined) throw new Error(`${kind} in ${apiVersion} has no protobuf form`);
  WRITE.s(writer, 4, "");
  WRITE.s(writer, 3, "");
  const inside = writer.length;
  if (items === undefined) writeMessage(writer, message, object);
  else writeStored(writer, message, object, items);
  writer.wrap(2, inside);
  const before = writer.length;
  WRITE.s(writer, 2, kind);
  WRITE.s(writer, 1, apiVersion);
  writer.wrap(1, before);
  writer.bytes(MAGIC);
}

/** How the fields of a message are written, worked out once; by falling number, since they are written backwards. */
type Plan = readonly PlannedField[];
interface PlannedField {
  readonly field: Field;
  /** What is written where nobody set it; undefined: nothing. */
  readonly missing: Uint8Array | undefined;
}
const plans = new WeakMap<Message, Plan>();

function planOf(message: Message): Plan {
  let plan = plans.get(message);
  if (plan === undefined) {
    plan = message.fields.toSorted((a, b) => b.number - a.number).map((field) => ({ field, missing: missingBytes(field) }));
    plans.set(message, plan);
  }
  return plan;
}

/** Go writes what is no pointer, zero or not; bytes and lists may be nothing without being pointers. */
function missingBytes({ number, presence, type, shape, json }: Field): Uint8Array | undefined {
  if (shape !== "one" || presence === "wire" || presence === "null" || type === "y" || type === "e" || json === undefined) return undefined;
  const writer = new WireWriter(64);
  writeOne(writer, number, type, zero(type));
  return writer.finished();
}

function writeMessage(writer: WireWriter, message: Message, value: Json): void {
  const object = fieldsOf(message.name, value);
  for (const { field, missing } of planOf(message)) {
    // The fields of an embedded struct lie between the others in JSON, but not on the wire.
    const part = field.json === undefined ? value : object[field.json];
    if (part === undefined || part === null) {
      if (missing !== undefined) writer.bytes(missing);
    } else if (field.shape === "list") writeList(writer, field, part);
    else if (field.shape === "map") writeMap(writer, field, part);
    else writeOne(writer, field.number, field.type, part);
  }
}

/** The items of a list are its last field, and so the first that is written. */
function writeStored(writer: WireWriter, message: Message, list: JsonObject, items: readonly StoredItem[]): void {
  const field = message.fields.find(({ json }) => json === "items");
  if (field === undefined || typeof field.type === "string") throw new Error(`${message.name} is no list of messages`);
  for (let i = items.length - 1; i >= 0; i--) {
    const from = writer.length;
    writer.bytes(storedBytes(items[i] as StoredItem, field.type()));
    writer.wrap(field.number, from);
  }
  writeMessage(writer, message, list);
}

const NOTHING: JsonObject = {};

function zero(type: Field["type"]): Json {
  return typeof type === "string" ? LETTERS[type as Letter].zero : NOTHING;
}

function writeOne(writer: WireWriter, number: number, type: Field["type"], value: Json): void {
  if (typeof type === "string") {
    WRITE[type](writer, number, value);
    return;
  }
  const from = writer.length;
  writeMessage(writer, type(), value);
  writer.wrap(number, from);
}

function writeList(writer: WireWriter, { number, type }: Field, list: Json): void {
  const items = list as readonly Json[];
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i] as Json;
    writeOne(writer, number, type, item ?? zero(type));
  }
}

function writeMap(writer: WireWriter, { number, type }: Field, map: Json): void {
  const entries = map as JsonObject;
  for (const key of Object.keys(entries).sort().reverse()) {
    const from = writer.length;
    writeOne(writer, 2, type, entries[key] ?? zero(type) ?? "");
    WRITE.s(writer, 1, key);
    writer.wrap(number, from);
  }
}

const MEGABYTE = 1024 * 1024;
const stored = recent<Buffer>(48 * MEGABYTE, (bytes) => bytes.length);
const scratch = new WireWriter();

/** What is stored is written once for all lists, as long as it is among the last that were needed. */
function storedBytes(item: StoredItem, message: Message): Buffer {
  return stored(item.key, () => {
    scratch.clear();
    writeMessage(scratch, message, item.read());
    return Buffer.from(scratch.finished());
  });
}
