import { memoize } from "pintle/internal/memoize";
import type { Json, JsonObject } from "pintle/kinds";
import { createRecencyCache } from "../recency-cache.ts";
import { type FieldDescriptor, findResponseMessage, type MessageDescriptor, type ScalarTypeCode } from "./message-descriptors.ts";
import { SCALAR_TYPES } from "./scalar-types.ts";
import { SCALAR_WRITERS } from "./scalar-writers.ts";
import { splitUnion } from "./union-types.ts";
import { WireWriter } from "./wire-writer.ts";

const MAGIC = Buffer.from("k8s\0");

/** Whether a kind has a protobuf encoding; custom resources and tables have none. */
export function hasProtobufEncoding(apiVersion: string, kind: string): boolean {
  return findResponseMessage(apiVersion, kind) !== undefined;
}

/** Encodes an object as application/vnd.kubernetes.protobuf, byte for byte as Go does. Its kind must have a protobuf encoding. */
export function encodeProtobuf(object: JsonObject): Buffer {
  const writer = new WireWriter(4096);
  writeEnvelope(writer, object);
  return writer.toBuffer();
}

/** A list item whose encoding is cached. */
export interface EncodableListItem {
  /** Identity of the current content, used as the cache key. */
  readonly key: object;
  read(): JsonObject;
}

/** Encodes a list, given without its items, and the items. */
export function encodeProtobufList(list: JsonObject, items: readonly EncodableListItem[]): Buffer {
  const writer = new WireWriter(4096);
  writeEnvelope(writer, list, items);
  return writer.toBuffer();
}

/** Encodes a watch event with its length prefix. */
export function encodeWatchEvent(type: string, object: JsonObject): Buffer {
  const writer = new WireWriter(4096);
  writeEnvelope(writer, object);
  writer.wrapLengthDelimited(1, 0);
  writer.wrapLengthDelimited(2, 0);
  SCALAR_WRITERS.s(writer, 1, type);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(writer.length);
  writer.bytes(length);
  return writer.toBuffer();
}

/** Writes the envelope that names the kind and holds the object. */
function writeEnvelope(writer: WireWriter, object: JsonObject, items?: readonly EncodableListItem[]): void {
  const { apiVersion = "", kind = "" } = object as { readonly apiVersion?: string; readonly kind?: string };
  const message = findResponseMessage(apiVersion, kind);
  if (message === undefined) throw new Error(`${kind} in ${apiVersion} has no protobuf encoding`);
  SCALAR_WRITERS.s(writer, 4, "");
  SCALAR_WRITERS.s(writer, 3, "");
  const inside = writer.length;
  if (items === undefined) writeMessage(writer, message, object);
  else writeListWithItems(writer, message, object, items);
  writer.wrapLengthDelimited(2, inside);
  const before = writer.length;
  SCALAR_WRITERS.s(writer, 2, kind);
  SCALAR_WRITERS.s(writer, 1, apiVersion);
  writer.wrapLengthDelimited(1, before);
  writer.bytes(MAGIC);
}

/** Fields of a message in encoding order: descending numbers, because messages are written backwards. */
type MessageEncodingPlan = readonly FieldEncodingPlan[];
interface FieldEncodingPlan {
  readonly field: FieldDescriptor;
  /** Encoding of an absent field; undefined: nothing. */
  readonly missing: Uint8Array | undefined;
}

const getEncodingPlan = memoize(
  ({ fields }: MessageDescriptor): MessageEncodingPlan =>
    fields.toSorted((a, b) => b.number - a.number).map((field) => ({ field, missing: encodeMissingField(field) })),
);

/** Go encodes non-pointer fields even when they are zero; bytes and lists may be nil. */
function encodeMissingField({ number, presence, type, shape, json }: FieldDescriptor): Uint8Array | undefined {
  if (shape !== "one" || presence === "wire" || presence === "null" || type === "y" || type === "e" || json === undefined) return undefined;
  const writer = new WireWriter(64);
  writeOne(writer, number, type, zeroValue(type));
  return writer.toBuffer();
}

function writeMessage(writer: WireWriter, message: MessageDescriptor, value: Json): void {
  const object = splitUnion(message.name, value);
  for (const { field, missing } of getEncodingPlan(message)) {
    // Fields of an embedded struct are inlined in JSON, but not on the wire.
    const part = field.json === undefined ? value : object[field.json];
    if (part === undefined || part === null) {
      if (missing !== undefined) writer.bytes(missing);
    } else if (field.shape === "list") writeList(writer, field, part);
    else if (field.shape === "map") writeMap(writer, field, part);
    else writeOne(writer, field.number, field.type, part);
  }
}

/** The items are the last field of a list, and so the first one written. */
function writeListWithItems(writer: WireWriter, message: MessageDescriptor, list: JsonObject, items: readonly EncodableListItem[]): void {
  const field = message.fields.find(({ json }) => json === "items");
  if (field === undefined || typeof field.type === "string") throw new Error(`${message.name} is not a list message`);
  for (let i = items.length - 1; i >= 0; i--) {
    const from = writer.length;
    writer.bytes(encodeListItem(items[i] as EncodableListItem, field.type()));
    writer.wrapLengthDelimited(field.number, from);
  }
  writeMessage(writer, message, list);
}

const EMPTY_OBJECT: JsonObject = {};

function zeroValue(type: FieldDescriptor["type"]): Json {
  return typeof type === "string" ? SCALAR_TYPES[type as ScalarTypeCode].zero : EMPTY_OBJECT;
}

function writeOne(writer: WireWriter, number: number, type: FieldDescriptor["type"], value: Json): void {
  if (typeof type === "string") {
    SCALAR_WRITERS[type](writer, number, value);
    return;
  }
  const from = writer.length;
  writeMessage(writer, type(), value);
  writer.wrapLengthDelimited(number, from);
}

function writeList(writer: WireWriter, { number, type }: FieldDescriptor, list: Json): void {
  const items = list as readonly Json[];
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i] as Json;
    writeOne(writer, number, type, item ?? zeroValue(type));
  }
}

function writeMap(writer: WireWriter, { number, type }: FieldDescriptor, map: Json): void {
  const entries = map as JsonObject;
  for (const key of Object.keys(entries).sort().reverse()) {
    const from = writer.length;
    writeOne(writer, 2, type, entries[key] ?? zeroValue(type) ?? "");
    SCALAR_WRITERS.s(writer, 1, key);
    writer.wrapLengthDelimited(number, from);
  }
}

const MEGABYTE = 1024 * 1024;
const encodedItems = createRecencyCache<Buffer>(48 * MEGABYTE, (bytes) => bytes.length);
const scratch = new WireWriter();

/** Encodes a stored item once for all lists while it is among the recently used ones. */
function encodeListItem(item: EncodableListItem, message: MessageDescriptor): Buffer {
  return encodedItems(item.key, () => {
    scratch.clear();
    writeMessage(scratch, message, item.read());
    return Buffer.from(scratch.toBuffer());
  });
}
