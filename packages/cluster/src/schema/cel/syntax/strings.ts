import { CelSyntaxError } from "./issue.ts";

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '"': 34,
  "'": 39,
  "\\": 92,
  "?": 63,
  "`": 96,
};
const escapes = /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/gu;

/** Returns the value of a quoted string literal. */
export function parseStringLiteral(text: string, at: number): string {
  const { body, raw } = stripQuotes(text);
  if (raw) return body;
  return body.replace(escapes, (...groups: (string | undefined)[]) => String.fromCodePoint(decodeEscape(groups, at)));
}

/** Returns the value of a bytes literal: UTF-8, except that \x and octal escapes are single bytes. */
export function parseBytesLiteral(text: string, at: number): Uint8Array {
  const { body, raw } = stripQuotes(text);
  if (raw) return new TextEncoder().encode(body);
  const bytes: number[] = [];
  let last = 0;
  for (const match of body.matchAll(escapes)) {
    bytes.push(...Buffer.from(body.slice(last, match.index)));
    const code = decodeEscape(match, at);
    const single = match[1] !== undefined || match[2] !== undefined || match[5] !== undefined;
    bytes.push(...(single ? [code] : Buffer.from(String.fromCodePoint(code))));
    last = match.index + match[0].length;
  }
  bytes.push(...Buffer.from(body.slice(last)));
  return Uint8Array.from(bytes);
}

function decodeEscape([, x, bigX, u, bigU, octal, char]: readonly (string | undefined)[], at: number): number {
  const hex = x ?? bigX ?? u ?? bigU;
  if (hex !== undefined) return Number.parseInt(hex, 16);
  if (octal !== undefined) return Number.parseInt(octal, 8);
  const code = simpleEscapes[char!];
  if (code === undefined) throw new CelSyntaxError(at, "unable to unescape string");
  return code;
}

function stripQuotes(text: string): { readonly body: string; readonly raw: boolean } {
  const [prefix] = /^[rRbB]*/.exec(text)!;
  const quotes = text.startsWith('"""', prefix.length) || text.startsWith("'''", prefix.length) ? 3 : 1;
  return { body: text.slice(prefix.length + quotes, -quotes), raw: /r/i.test(prefix) };
}
