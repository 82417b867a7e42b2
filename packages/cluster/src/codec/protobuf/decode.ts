import type { Json, JsonObject } from "pintle/kinds";
import { BodyDecodeError } from "../body-error.ts";
import { decodeJson } from "../json/decode.ts";
import { decodeMessage } from "./decode-message.ts";
import { findRequestMessage, type MessageDescriptor } from "./message-descriptors.ts";
import { LENGTH, WireReader } from "./wire-reader.ts";

/** A decoded protobuf body. */
export interface ProtobufBody {
  readonly apiVersion: string;
  readonly kind: string;
  /** The JSON that Go would encode from the same struct, including apiVersion and kind. */
  readonly object: JsonObject;
}

/** The kind of a body whose envelope names none. */
export interface ExpectedMessage {
  readonly apiVersion: string;
  readonly kind: string;
  /** Other apiVersions of the kind with the same message. */
  readonly olderApiVersions?: readonly string[] | undefined;
}

const MAGIC = [0x6b, 0x38, 0x73, 0x00] as const;

/**
 * Decodes a body of type application/vnd.kubernetes.protobuf: four magic bytes, then an envelope that names the kind and holds the
 * object. `expected` is used where the envelope names no kind. Throws `BodyDecodeError`, and `TooManyValuesError` beyond
 * `maxValues` fields and items.
 */
export function decodeProtobuf(bytes: Uint8Array, expected?: ExpectedMessage, maxValues = Number.POSITIVE_INFINITY): ProtobufBody {
  if (bytes.length === 0) throw new BodyDecodeError("empty data");
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw new BodyDecodeError(`provided data does not appear to be a protobuf message, expected prefix [${MAGIC.join(" ")}]`);
  }
  if (bytes.length === MAGIC.length) throw new BodyDecodeError("empty body");
  const envelope = readEnvelope(new WireReader(bytes, MAGIC.length));
  const apiVersion = envelope.apiVersion || expected?.apiVersion || "";
  const kind = envelope.kind || expected?.kind || "";
  if (kind === "") throw new BodyDecodeError("Object 'Kind' is missing in the protobuf body");
  if (envelope.contentType === "application/json") {
    const value = decodeJson(envelope.raw.toString(), maxValues).value;
    return { apiVersion, kind, object: { apiVersion, kind, ...(value as JsonObject) } };
  }
  const isOlder = kind === expected?.kind && expected.olderApiVersions?.includes(apiVersion) === true;
  const message = findRequestMessage(isOlder ? expected.apiVersion : apiVersion, kind);
  if (message === undefined)
    throw new BodyDecodeError(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  return { apiVersion, kind, object: decodeObject(apiVersion, kind, envelope.raw, message, maxValues) };
}

function decodeObject(apiVersion: string, kind: string, raw: Uint8Array, message: MessageDescriptor, maxValues: number): JsonObject {
  const object: Record<string, Json> = { kind, apiVersion };
  decodeMessage(new WireReader(raw, 0, raw.length, { left: maxValues }), message, object);
  return object;
}

interface UnknownEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
  readonly contentType: string;
}

function readEnvelope(reader: WireReader): UnknownEnvelope {
  let type = { apiVersion: "", kind: "" };
  let raw: Buffer = Buffer.alloc(0);
  let contentType = "";
  while (!reader.done) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | LENGTH)) type = readTypeMeta(reader.nested());
    else if (tag === ((2 << 3) | LENGTH)) raw = reader.bytes();
    else if (tag === ((4 << 3) | LENGTH)) contentType = reader.text();
    else reader.skip(tag & 7);
  }
  return { ...type, raw, contentType };
}

function readTypeMeta(reader: WireReader): { apiVersion: string; kind: string } {
  const type = { apiVersion: "", kind: "" };
  while (!reader.done) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | LENGTH)) type.apiVersion = reader.text();
    else if (tag === ((2 << 3) | LENGTH)) type.kind = reader.text();
    else reader.skip(tag & 7);
  }
  return type;
}
