import { stringify as yamlText } from "yaml";
import { jsonText } from "../json-text.ts";
import { type Headers, header, param, type Query } from "../request.ts";

const HUMAN_AGENTS = /^(curl|Wget|Mozilla\/5\.0)/;

/** A JSON value as the bytes of an answer. */
export function encode(value: unknown, type: "application/json" | "application/yaml", pretty: boolean): string {
  if (type === "application/yaml") return yamlText(value, { aliasDuplicateObjects: false });
  return pretty ? `${jsonText(value, 2)}\n` : jsonText(value);
}

/** Whether a person is likely to read it. */
export function wantsPretty(query: Query, headers: Headers): boolean {
  if (query.has("pretty")) return ["1", "t", "true"].includes(param(query, "pretty").toLowerCase());
  return HUMAN_AGENTS.test(header(headers, "user-agent") ?? "");
}
