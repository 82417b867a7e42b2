import { jsonText } from "../json-text.ts";
import { type Headers, header, type MediaType, param, type Query } from "../request.ts";

const HUMAN_AGENTS = /^(curl|Wget|Mozilla\/5\.0)/;

/** A JSON value as the bytes of an answer. */
export async function encode(value: unknown, type: MediaType, pretty: boolean): Promise<string> {
  if (type === "application/yaml") {
    // Hardly anybody asks for it.
    const { stringify } = await import("yaml");
    return stringify(value, { aliasDuplicateObjects: false });
  }
  // Upstream ends a line with a newline, and a page without one.
  return pretty ? jsonText(value, 2) : `${jsonText(value)}\n`;
}

/** Whether a person is likely to read it. */
export function wantsPretty(query: Query, headers: Headers): boolean {
  if (query.has("pretty")) return ["1", "t", "true"].includes(param(query, "pretty").toLowerCase());
  return HUMAN_AGENTS.test(header(headers, "user-agent") ?? "");
}
