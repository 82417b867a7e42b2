/**
 * Values as the Go API server prints them. Its texts are what users search for, so they must come out letter by
 * letter the same.
 */

/** fmt's %v of a float64 or an int64: exponents from 1e21 on and below 1e-4, two exponent digits at least. */
export function goNumber(value: number | bigint): string {
  if (typeof value === "bigint") return value.toString();
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  if (Object.is(value, -0)) return "-0";
  const size = Math.abs(value);
  if (size === 0 || Number.isNaN(value) || (size >= 1e-4 && size < 1e21)) return String(value);
  const [digits, exponent] = value.toExponential().split("e") as [string, string];
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

const escapes: Readonly<Record<string, string>> = {
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
const special = /["\\\p{C}\p{Z}]/u;
const specials = /["\\\p{C}\p{Z}]/gu;

/** strconv.Quote: what is not printable is escaped. */
export function goQuote(text: string): string {
  if (!special.test(text)) return `"${text}"`;
  return `"${text.replace(specials, (char) => {
    if (char === " ") return char;
    const known = escapes[char];
    if (known !== undefined) return known;
    const code = char.codePointAt(0)!;
    if (code < 0x80) return `\\x${hex(code, 2)}`;
    return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  })}"`;
}

/** encoding/json: keys sorted, `<`, `>` and `&` escaped. */
export function goJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return jsonText(value);
    case "number":
      return jsonNumber(value);
    case "bigint":
    case "boolean":
      return String(value);
    case "object": {
      if (value === null) return "null";
      if (Array.isArray(value)) return `[${value.map(goJson).join(",")}]`;
      const fields = Object.entries(value).filter(([, field]) => field !== undefined);
      fields.sort(([a], [b]) => (a < b ? -1 : 1));
      return `{${fields.map(([key, field]) => `${jsonText(key)}:${goJson(field)}`).join(",")}}`;
    }
    default:
      return "null";
  }
}

function jsonText(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${hex(char.charCodeAt(0), 4)}`);
}

/** Like %v, but exponents start below 1e-6 and their leading zero is dropped. */
function jsonNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e-6 && size < 1e21) return String(value);
  return goNumber(value).replace(/e-0(\d)$/, "e-$1");
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, "0");
}
