import { memoize } from "pintle/internal/memoize";
import type { Json, JsonObject } from "pintle/kinds";
import { createRecencyCache } from "../recency-cache.ts";
import { type FieldDescriptor, findResponseMessage, type MessageDescriptor, type ScalarTypeCode } from "./message-descriptors.ts";
import { SCALAR_TYPES } from "./scalar-types.ts";
import { SCALAR_WRITERS } from "./scalar-writers.ts";
import { splitUnion } from "./union-types.ts";
import { LENGTH } from "./wire-reader.ts";
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

/** The encoding of a list, whose items are measured first and encoded chunk by chunk, so that a long one is never in memory as a whole. */
export class ProtobufList {
  readonly #list: JsonObject;
  readonly #items: readonly EncodableListItem[];
  readonly #field: FieldDescriptor;
  readonly #itemMessage: MessageDescriptor;
  #measured = 0;
  #itemBytes = 0;
  #head: Uint8Array | undefined;

  /** A list, given without its items, and the items. */
  constructor(list: JsonObject, items: readonly EncodableListItem[]) {
    this.#list = list;
    this.#items = items;
    const { name, fields } = getResponseMessage(list);
    const field = fields.find(({ json }) => json === "items");
    if (field === undefined || typeof field.type === "string") throw new Error(`${name} is not a list message`);
    this.#field = field;
    this.#itemMessage = field.type();
  }

  /** Measures one item; returns true when all are measured. */
  measureNext(): boolean {
    const item = this.#items[this.#measured];
    if (item === undefined) return true;
    const { length } = encodeListItem(item, this.#itemMessage);
    this.#itemBytes += encodeItemHead(this.#field.number, length).length + length;
    return ++this.#measured === this.#items.length;
  }

  /** The number of bytes, known when all items are measured. */
  get length(): number {
    return this.#getHead().length + this.#itemBytes + ENVELOPE_END.length;
  }

  /** Encodes the list in chunks of about this size. */
  *encode(chunkBytes: number): Generator<Uint8Array> {
    let parts: Uint8Array[] = [this.#getHead()];
    let size = 0;
    for (const item of this.#items) {
      const bytes = encodeListItem(item, this.#itemMessage);
      parts.push(encodeItemHead(this.#field.number, bytes.length), bytes);
      size += bytes.length;
      if (size < chunkBytes) continue;
      yield Buffer.concat(parts);
      parts = [];
      size = 0;
    }
    parts.push(ENVELOPE_END);
    yield Buffer.concat(parts);
  }

  /** Everything in front of the items. */
  #getHead(): Uint8Array {
    if (this.#head !== undefined) return this.#head;
    const writer = new WireWriter(1024);
    writeMessage(writer, getResponseMessage(this.#list), this.#list);
    writer.integer(writer.length + this.#itemBytes);
    writer.tag(2, LENGTH);
    writeTypeMeta(writer, this.#list);
    this.#head = writer.toBuffer();
    return this.#head;
  }
}

function encodeItemHead(field: number, length: number): Buffer {
  const writer = new WireWriter(16);
  writer.integer(length);
  writer.tag(field, LENGTH);
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

/** Content encoding and content type, which are empty. */
const ENVELOPE_END = Buffer.from([0x1a, 0, 0x22, 0]);

/** Writes the envelope that names the kind and holds the object. */
function writeEnvelope(writer: WireWriter, object: JsonObject): void {
  const message = getResponseMessage(object);
  writer.bytes(ENVELOPE_END);
  const inside = writer.length;
  writeMessage(writer, message, object);
  writer.wrapLengthDelimited(2, inside);
  writeTypeMeta(writer, object);
}

function writeTypeMeta(writer: WireWriter, object: JsonObject): void {
  const { apiVersion, kind } = getTypeMeta(object);
  const before = writer.length;
  SCALAR_WRITERS.s(writer, 2, kind);
  SCALAR_WRITERS.s(writer, 1, apiVersion);
  writer.wrapLengthDelimited(1, before);
  writer.bytes(MAGIC);
}

function getResponseMessage(object: JsonObject): MessageDescriptor {
  const { apiVersion, kind } = getTypeMeta(object);
  const message = findResponseMessage(apiVersion, kind);
  if (message === undefined) throw new Error(`${kind} in ${apiVersion} has no protobuf encoding`);
  return message;
}

function getTypeMeta(object: JsonObject) {
  const { apiVersion = "", kind = "" } = object as { readonly apiVersion?: string; readonly kind?: string };
  return { apiVersion, kind };
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
