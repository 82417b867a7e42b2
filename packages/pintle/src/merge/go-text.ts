import { isObject, type Json } from "../kinds/index.ts";
import { sortedKeys } from "./canonical.ts";

/** How Go prints values: the server's messages are full of it. As `%v`. */
export function goText(value: Json | undefined): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map((item) => goText(item as Json)).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const fields = sortedKeys(value).map((name) => `${name}:${goText(value[name])}`);
  return `map[${fields.join(" ")}]`;
}

/** As `%#v`. */
export function literal(value: Json | undefined): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map((item) => literal(item as Json)).join(", ")}}`;
  if (!isObject(value)) return String(value);
  const fields = sortedKeys(value).map((name) => `${quoted(name)}:${literal(value[name])}`);
  return `map[string]interface {}{${fields.join(", ")}}`;
}

const GO_ESCAPES: { readonly [character: string]: string } = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** As `%q`. */
export function quoted(text: string): string {
  const inner = text.replace(/["\\\p{C}\p{Z}]/gu, (c) => {
    if (c === " ") return c;
    const code = c.codePointAt(0)!;
    const hex = code.toString(16);
    return (
      GO_ESCAPES[c] ??
      (code < 0x80 ? `\\x${hex.padStart(2, "0")}` : code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`)
    );
  });
  return `"${inner}"`;
}
