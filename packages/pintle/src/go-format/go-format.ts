import { isJsonObject, type Json } from "../json/index.ts";

/** Formats a value as `%v`: `map[a:1 b:[x y]]`. */
export function formatGoValue(value: Json | undefined): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map((item) => formatGoValue(item as Json)).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${name}:${formatGoValue(value[name])}`);
  return `map[${fields.join(" ")}]`;
}

/** Formats a value as `%#v`: `map[string]interface {}{"a":1}`. */
export function formatGoSyntax(value: Json | undefined): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return quoteGoString(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map((item) => formatGoSyntax(item as Json)).join(", ")}}`;
  if (!isJsonObject(value)) return String(value);
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${quoteGoString(name)}:${formatGoSyntax(value[name])}`);
  return `map[string]interface {}{${fields.join(", ")}}`;
}

/** Formats a float64 or an int64 as `%v`: exponents from 1e21 on and below 1e-4, with at least two digits. */
export function formatGoNumber(value: number | bigint): string {
  if (typeof value === "bigint") return value.toString();
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  if (Object.is(value, -0)) return "-0";
  const size = Math.abs(value);
  if (size === 0 || Number.isNaN(value) || (size >= 1e-4 && size < 1e21)) return String(value);
  const [digits, exponent] = value.toExponential().split("e") as [string, string];
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

/** Go's short escape sequences. */
export const GO_ESCAPES: Readonly<Record<string, string>> = {
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
const ESCAPED = /["\\\p{C}\p{Z}]/u;
const ALL_ESCAPED = /["\\\p{C}\p{Z}]/gu;

/** Quotes a string as `strconv.Quote` and `%q` do: characters that are not printable are escaped. */
export function quoteGoString(text: string): string {
  if (!ESCAPED.test(text)) return `"${text}"`;
  return `"${text.replace(ALL_ESCAPED, (char) => {
    if (char === " ") return char;
    const known = GO_ESCAPES[char];
    if (known !== undefined) return known;
    const code = char.codePointAt(0)!;
    if (code < 0x80) return `\\x${hex(code, 2)}`;
    return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  })}"`;
}

/** Encodes a value as `json.Marshal` does: keys sorted, `<`, `>` and `&` escaped. */
export function encodeGoJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return encodeString(value);
    case "number":
      return encodeNumber(value);
    case "bigint":
    case "boolean":
      return String(value);
    case "object": {
      if (value === null) return "null";
      if (Array.isArray(value)) return `[${value.map(encodeGoJson).join(",")}]`;
      const object = value as Readonly<Record<string, unknown>>;
      let text = "";
      for (const key of Object.keys(object).sort()) {
        const field = object[key];
        if (field !== undefined) text += `${text === "" ? "" : ","}${encodeKey(key)}:${encodeGoJson(field)}`;
      }
      return `{${text}}`;
    }
    default:
      return "null";
  }
}

/** Most names of fields need no escapes. */
function encodeKey(key: string): string {
  return /^[\w./-]*$/.test(key) ? `"${key}"` : encodeString(key);
}

function encodeString(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${hex(char.charCodeAt(0), 4)}`);
}

/** Like `%v`, but with exponents below 1e-6 only, and without their leading zero. */
function encodeNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e-6 && size < 1e21) return String(value);
  return formatGoNumber(value).replace(/e-0(\d)$/, "e-$1");
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, "0");
}
