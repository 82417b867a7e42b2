import type { JsonObject } from "pintle/kinds";
import { encodeProtobuf } from "../../codec/index.ts";
import { jsonText } from "../json-text.ts";
import { JSON_TYPE, PROTOBUF_TYPE } from "../present/negotiate.ts";
import { type Headers, header, type JsonBody, param, type Query } from "../request.ts";

const HUMAN_AGENTS = /^(curl|Wget|Mozilla\/5\.0)/;

/** A JSON value as the bytes of an answer. What is to be protobuf is of a kind that has such a form. */
export async function encode(body: JsonBody, pretty: boolean): Promise<Uint8Array> {
  const { as: type, written } = body;
  if (type === JSON_TYPE && !pretty && written !== undefined) return written.json();
  if (type === PROTOBUF_TYPE) return written?.protobuf?.() ?? encodeProtobuf(body.value as JsonObject);
  const { value } = body;
  if (type === "application/yaml") {
    // Hardly anybody asks for it.
    const { stringify } = await import("yaml");
    return Buffer.from(stringify(value, { aliasDuplicateObjects: false }));
  }

  // Upstream ends a line with a newline, and a page without one.
  if (pretty) return Buffer.from(jsonText(value, 2));
  return Buffer.from(`${jsonText(value)}\n`);
}

/** Whether a person is likely to read it. */
export function wantsPretty(query: Query, headers: Headers): boolean {
  if (query.has("pretty")) return ["1", "t", "true"].includes(param(query, "pretty").toLowerCase());
  return HUMAN_AGENTS.test(header(headers, "user-agent") ?? "");
}
