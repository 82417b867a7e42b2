import type { JsonObject } from "pintle/kinds";
import { encodeProtobuf } from "../../codec/index.ts";
import { jsonText } from "../json-text.ts";
import { PROTOBUF_TYPE } from "../present/negotiate.ts";
import { type Headers, header, type MediaType, param, type Query } from "../request.ts";
import { sharedText } from "../shared-text.ts";

const HUMAN_AGENTS = /^(curl|Wget|Mozilla\/5\.0)/;

/** A JSON value as the bytes of an answer. What is to be protobuf is of a kind that has such a form. */
export async function encode(value: unknown, type: MediaType, pretty: boolean): Promise<Uint8Array> {
  if (type === "application/yaml") {
    // Hardly anybody asks for it.
    const { stringify } = await import("yaml");
    return Buffer.from(stringify(value, { aliasDuplicateObjects: false }));
  }
  if (type === PROTOBUF_TYPE) return encodeProtobuf(value as JsonObject);
  // Upstream ends a line with a newline, and a page without one.
  if (pretty) return Buffer.from(jsonText(value, 2));
  const { text, ascii } = sharedText(value);
  return Buffer.from(`${text}\n`, ascii ? "latin1" : "utf8");
}

/** Whether a person is likely to read it. */
export function wantsPretty(query: Query, headers: Headers): boolean {
  if (query.has("pretty")) return ["1", "t", "true"].includes(param(query, "pretty").toLowerCase());
  return HUMAN_AGENTS.test(header(headers, "user-agent") ?? "");
}
