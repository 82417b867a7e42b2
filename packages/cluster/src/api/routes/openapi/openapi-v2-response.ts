import { createHash } from "node:crypto";
import { memoize } from "pintle/internal/memoize";
import type { JsonObject } from "pintle/kinds";
import { eventLoopTurns } from "../../../turns/index.ts";
import { JSON_TYPE } from "../../encoding/negotiate.ts";
import { type ApiResponse, getHeader, type HttpHeaders } from "../../request/api-request.ts";
import { buildDocumentBody } from "./document-body.ts";
import { encodeGnosticDocument } from "./gnostic-document.ts";

/** With dots: Go's MIME parser refuses the `@` of the media type that clients accept. */
const PROTOBUF_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

interface EncodedDocument {
  readonly etag: string;
  readonly bytes: Uint8Array;
}

/** Builds the response with the OpenAPI v2 document in the accepted form. Clients cache it by its ETag. */
export async function buildOpenApiV2Response(document: JsonObject, headers: HttpHeaders): Promise<ApiResponse> {
  if (!(getHeader(headers, "accept") ?? "").includes("protobuf")) {
    return { status: 200, headers: { "content-type": JSON_TYPE }, body: await buildDocumentBody(document) };
  }
  const { etag, bytes } = await encodeDocument(document);
  const tags = { etag, vary: "Accept" };
  if (getHeader(headers, "if-none-match") === etag) return { status: 304, headers: tags, body: { type: "none" } };
  return { status: 200, headers: { ...tags, "content-type": PROTOBUF_TYPE }, body: { type: "bytes", bytes } };
}

const encodeDocument = memoize(async (document: JsonObject): Promise<EncodedDocument> => {
  const bytes = await encodeGnosticDocument(document, eventLoopTurns.begin());
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("hex").toUpperCase()}"` };
});
