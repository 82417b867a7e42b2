/** The text may have escapes. */
export const ESCAPES = 1;
/** The text may have a credential that is known by its form. */
export const CREDENTIALS = 2;

const [BACKSLASH, PERCENT, AMPERSAND, DOT, DASH, SPACE, E, R, C] = [92, 37, 38, 46, 45, 32, 101, 114, 99];
const SIGNS = new Uint8Array(128);
for (const sign of [BACKSLASH, PERCENT, AMPERSAND]) SIGNS[sign] = ESCAPES;
for (const sign of [DOT, DASH, SPACE]) SIGNS[sign] = CREDENTIALS;

/** Returns what a closer look at the text could find, in one pass: nearly all texts need none. */
export function findHints(text: string): number {
  let hints = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const sign = code < 128 ? (SIGNS[code] as number) : 0;
    if (sign === 0 || (hints & sign) !== 0) continue;
    if (sign === ESCAPES || startsCredential(text, i, code)) hints |= sign;
  }
  return hints;
}

/** ".ey" of a web token, "--" of a key, "Bearer " or "Basic " of a header. */
function startsCredential(text: string, at: number, code: number): boolean {
  if (code === DOT) return text.charCodeAt(at + 1) === E;
  if (code === DASH) return text.charCodeAt(at + 1) === DASH;
  const before = text.charCodeAt(at - 1);
  return before === R || before === C;
}
