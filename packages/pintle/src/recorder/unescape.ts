/** A text without escapes, and where its characters were. */
export interface UnescapedText {
  readonly text: string;
  /** The position of each character in the text with escapes; the last is the end. */
  readonly positions: readonly number[];
}

const NAMED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", a: "\u0007", 0: "\0" };
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The escapes of URLs, of JSON and program text, and of HTML and XML. */
const ESCAPES = {
  percent: /(?:%[0-9a-f]{2})+/gi,
  backslash: /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[^ux])|'\\''/gi,
  entity: /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});/gi,
} as const;
type EscapeKind = keyof typeof ESCAPES;
const HINTS: Readonly<Record<EscapeKind, string>> = { percent: "%", backslash: "\\", entity: "&" };

const DECODERS: Readonly<Record<EscapeKind, (sequence: string) => string>> = {
  percent: (sequence) => Buffer.from(sequence.replaceAll("%", ""), "hex").toString("utf8"),
  backslash(sequence) {
    // A single quote between single quotes of a shell.
    if (sequence.startsWith("'")) return "'";
    const [, sign = "", ...digits] = sequence;
    if ((sign === "u" || sign === "x") && digits.length > 0) return String.fromCharCode(Number.parseInt(digits.join(""), 16));
    return NAMED[sign] ?? sign;
  },
  entity(sequence) {
    const name = sequence.slice(1, -1).toLowerCase();
    if (!name.startsWith("#")) return ENTITIES[name] as string;
    const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : sequence;
  },
};

/** Texts are escaped several times: JSON in JSON in a URL. */
const MAX_DEPTH = 3;
/** Longer texts are searched without one level of escapes only. */
const MAX_DEEP_LENGTH = 256 * 1024;

/** Returns the text without the escapes of each kind, and without those of what results; none if it has no escapes. */
export function unescapeText(text: string): readonly UnescapedText[] {
  const found: UnescapedText[] = [];
  const seen = new Set([text]);
  const visit = (current: string, positions: readonly number[] | undefined, depth: number): void => {
    for (const kind of Object.keys(ESCAPES) as EscapeKind[]) {
      if (!current.includes(HINTS[kind])) continue;
      const unescaped = decodeEscapes(current, kind, positions);
      if (seen.has(unescaped.text)) continue;
      seen.add(unescaped.text);
      found.push(unescaped);
      if (depth < MAX_DEPTH && text.length <= MAX_DEEP_LENGTH) visit(unescaped.text, unescaped.positions, depth + 1);
    }
  };
  visit(text, undefined, 1);
  return found;
}

function decodeEscapes(text: string, kind: EscapeKind, positions: readonly number[] | undefined): UnescapedText {
  const at = (index: number) => positions?.[index] ?? index;
  const parts: string[] = [];
  const mapped: number[] = [];
  let from = 0;
  const copyTo = (end: number) => {
    parts.push(text.slice(from, end));
    for (let i = from; i < end; i++) mapped.push(at(i));
  };
  for (const match of text.matchAll(ESCAPES[kind])) {
    copyTo(match.index);
    from = match.index + match[0].length;
    const decoded = DECODERS[kind](match[0]);
    parts.push(decoded);
    let place = match.index;
    for (const character of decoded) {
      for (let i = 0; i < character.length; i++) mapped.push(at(Math.min(place, from)));
      // A run of escaped bytes is decoded at once, as UTF-8.
      place += kind === "percent" ? 3 * Buffer.byteLength(character) : 0;
    }
  }
  copyTo(text.length);
  mapped.push(at(text.length));
  return { text: parts.join(""), positions: mapped };
}
