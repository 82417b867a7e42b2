import { createHash } from "node:crypto";
import type { JsonObject } from "pintle/kinds";
import { JSON_TYPE } from "../present/negotiate.ts";
import { type ApiAnswer, type Headers, header } from "../request.ts";
import { documentBytes } from "./document.ts";

/** With dots: Go's mime parser refuses the `@` that clients ask with. */
const PROTOBUF_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

interface Encoded {
  readonly etag: string;
  readonly bytes: Uint8Array;
}
const encodings = new WeakMap<JsonObject, Encoded>();

/** An OpenAPI v2 document in the form the client asks for. Clients keep it by its tag, and ask whether it still holds. */
export function swaggerAnswer(document: JsonObject, headers: Headers): ApiAnswer {
  if (!(header(headers, "accept") ?? "").includes("protobuf")) {
    return { status: 200, headers: { "content-type": JSON_TYPE }, body: { type: "json", value: document, as: JSON_TYPE } };
  }
  const { etag, bytes } = encodedOnce(document);
  const tags = { etag, vary: "Accept" };
  if (header(headers, "if-none-match") === etag) return { status: 304, headers: tags, body: { type: "none" } };
  return { status: 200, headers: { ...tags, "content-type": PROTOBUF_TYPE }, body: { type: "bytes", bytes } };
}

function encodedOnce(document: JsonObject): Encoded {
  let encoded = encodings.get(document);
  if (encoded === undefined) {
    const bytes = documentBytes(document);
    encoded = { bytes, etag: `"${createHash("sha256").update(bytes).digest("hex").toUpperCase()}"` };
    encodings.set(document, encoded);
  }
  return encoded;
}
