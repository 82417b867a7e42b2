import type { Json, JsonObject } from "pintle/kinds";
import { BodyError } from "../body-error.ts";
import { decodeJson } from "../json/decode.ts";
import { type Message, messageOfKind } from "./messages.ts";
import { decodeMessage } from "./object.ts";
import { LENGTH, WireReader } from "./wire.ts";

/** A protobuf body as the JSON it stands for. */
export interface ProtobufBody {
  readonly apiVersion: string;
  readonly kind: string;
  /** As Go would write the same struct as JSON: apiVersion and kind included. */
  readonly object: JsonObject;
}

const MAGIC = [0x6b, 0x38, 0x73, 0x00] as const;

/**
 * Reads a body of type application/vnd.kubernetes.protobuf: four magic bytes, then a message that names the kind and
 * holds the object. `expected` stands in where it does not name one. Throws BodyError.
 */
export function decodeProtobuf(bytes: Uint8Array, expected?: { readonly apiVersion: string; readonly kind: string }): ProtobufBody {
  if (bytes.length === 0) throw new BodyError("empty data");
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw new BodyError(`provided data does not appear to be a protobuf message, expected prefix [${MAGIC.join(" ")}]`);
  }
  if (bytes.length === MAGIC.length) throw new BodyError("empty body");
  const envelope = unwrap(new WireReader(bytes, MAGIC.length));
  const apiVersion = envelope.apiVersion || expected?.apiVersion || "";
  const kind = envelope.kind || expected?.kind || "";
  if (kind === "") throw new BodyError("Object 'Kind' is missing in the protobuf body");
  if (envelope.contentType === "application/json") {
    const value = decodeJson(envelope.raw.toString()).value;
    return { apiVersion, kind, object: { apiVersion, kind, ...(value as JsonObject) } };
  }
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined) throw new BodyError(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  return { apiVersion, kind, object: objectOf(apiVersion, kind, envelope.raw, message) };
}

function objectOf(apiVersion: string, kind: string, raw: Uint8Array, message: Message): JsonObject {
  const object: Record<string, Json> = { kind, apiVersion };
  decodeMessage(new WireReader(raw), message, object);
  return object;
}

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
  readonly contentType: string;
}

function unwrap(reader: WireReader): Envelope {
  let type = { apiVersion: "", kind: "" };
  let raw: Buffer = Buffer.alloc(0);
  let contentType = "";
  while (!reader.done) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | LENGTH)) type = typeMeta(reader.nested());
    else if (tag === ((2 << 3) | LENGTH)) raw = reader.bytes();
    else if (tag === ((4 << 3) | LENGTH)) contentType = reader.text();
    else reader.skip(tag & 7);
  }
  return { ...type, raw, contentType };
}

function typeMeta(reader: WireReader): { apiVersion: string; kind: string } {
  const type = { apiVersion: "", kind: "" };
  while (!reader.done) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | LENGTH)) type.apiVersion = reader.text();
    else if (tag === ((2 << 3) | LENGTH)) type.kind = reader.text();
    else reader.skip(tag & 7);
  }
  return type;
}
