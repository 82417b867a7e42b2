import { stringifyJson } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import { encodeProtobuf } from "../../codec/index.ts";
import { getHeader, getQueryParameter, type HttpHeaders, type ObjectBody, type QueryParameters } from "../request/api-request.ts";
import { JSON_TYPE, PROTOBUF_TYPE } from "./negotiate.ts";

const PRETTY_USER_AGENTS = /^(curl|Wget|Mozilla\/5\.0)/;

/** Encodes the body of a response in its media type. Protobuf is negotiated only for kinds that have such a form. */
export async function encodeResponseBody(body: ObjectBody, pretty: boolean): Promise<Uint8Array> {
  const { mediaType: type, encoded } = body;
  if (type === JSON_TYPE && !pretty && encoded !== undefined) return encoded.json();
  if (type === PROTOBUF_TYPE) return encoded?.protobuf?.() ?? encodeProtobuf(body.value as JsonObject);
  const { value } = body;
  if (type === "application/yaml") {
    // Loaded on demand: YAML responses are rare.
    const { stringify } = await import("yaml");
    return Buffer.from(stringify(value, { aliasDuplicateObjects: false }));
  }

  // kube-apiserver ends compact JSON with a newline, and indented JSON without one.
  if (pretty) return Buffer.from(stringifyJson(value, 2));
  return Buffer.from(`${stringifyJson(value)}\n`);
}

/** Whether to indent JSON: by parameter, or by the user agents of people. */
export function isPrettyRequested(query: QueryParameters, headers: HttpHeaders): boolean {
  if (query.has("pretty")) return ["1", "t", "true"].includes(getQueryParameter(query, "pretty").toLowerCase());
  return PRETTY_USER_AGENTS.test(getHeader(headers, "user-agent") ?? "");
}
