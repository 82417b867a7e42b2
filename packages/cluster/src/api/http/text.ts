import { stringify as yamlText } from "yaml";
import { type Headers, header, param, type Query } from "../request.ts";

const HUMAN_AGENTS = /^(curl|Wget|Mozilla\/5\.0)/;

/** A JSON value as the bytes of an answer. */
export function encode(value: unknown, type: "application/json" | "application/yaml", pretty: boolean): string {
  if (type === "application/yaml") return yamlText(value, { aliasDuplicateObjects: false });
  return pretty ? `${jsonText(value, 2)}\n` : jsonText(value);
}

/** JSON.stringify, which knows no integers beyond 2^53: those are written by hand. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return withBigIntegers(value, indent);
  }
}

function withBigIntegers(value: unknown, indent?: number): string {
  const integers: string[] = [];
  const text = JSON.stringify(
    value,
    (_key, part: unknown) => (typeof part === "bigint" ? `\u0000${integers.push(part.toString()) - 1}\u0000` : part),
    indent,
  );
  return text.replace(/"\\u0000(\d+)\\u0000"/g, (_match, index: string) => integers[Number(index)] as string);
}

/** Whether a person is likely to read it. */
export function wantsPretty(query: Query, headers: Headers): boolean {
  if (query.has("pretty")) return ["1", "t", "true"].includes(param(query, "pretty").toLowerCase());
  return HUMAN_AGENTS.test(header(headers, "user-agent") ?? "");
}
