export type TokenKind = "ident" | "quotedIdent" | "int" | "uint" | "float" | "string" | "bytes" | "op" | "end";

/** A part of the source and where it begins. */
export interface SourceText {
  readonly text: string;
  readonly at: number;
}

export interface Token extends SourceText {
  readonly kind: TokenKind;
}

const ESCAPE = /\\(?:[abfnrtv"'`?\\]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/.source;
const UNFINISHED_ESCAPE = /\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?/.source;
const DOUBLE_QUOTED = `"(?:${ESCAPE}|${/[^"\\\n\r]/.source})*`;
const SINGLE_QUOTED = `'(?:${ESCAPE}|${/[^'\\\n\r]/.source})*`;
const TRIPLE_QUOTED = `"""(?:${ESCAPE}|${/[^\\]/.source})*?"""|'''(?:${ESCAPE}|${/[^\\]/.source})*?'''`;

const patterns: readonly (readonly [RegExp, TokenKind | undefined])[] = [
  [/[\t \r\n\f]+|\/\/[^\n]*/y, undefined],
  [/[bB]?[rR][bB]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/y, "string"],
  [new RegExp(`[bB]?(?:${TRIPLE_QUOTED})`, "y"), "string"],
  [new RegExp(`[bB]?(?:${DOUBLE_QUOTED}"|${SINGLE_QUOTED}')`, "y"), "string"],
  [/(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y, "float"],
  [/(?:0x[0-9a-fA-F]+|\d+)[uU]/y, "uint"],
  [/0x[0-9a-fA-F]+|\d+/y, "int"],
  [/[A-Za-z_][A-Za-z0-9_]*/y, "ident"],
  [/`[A-Za-z0-9_.\-/ ]+`/y, "quotedIdent"],
  [/==|!=|<=|>=|&&|\|\||[[\]{}().,\-!?:+*/%<>]/y, "op"],
];

/** The beginnings of tokens that no pattern matches, up to the first character that cannot continue them. */
const unfinishedTokens: readonly RegExp[] = [
  /`[A-Za-z0-9_.\-/ ]*[\s\S]?/y,
  new RegExp(`(?:${DOUBLE_QUOTED}|${SINGLE_QUOTED})(?:${UNFINISHED_ESCAPE})?[\\s\\S]?`, "y"),
  /[=&|][\s\S]?/y,
  /[\s\S]/uy,
];

/** Splits an expression into tokens, and text that is none. */
export function tokenize(source: string): { readonly tokens: readonly Token[]; readonly unknown: readonly SourceText[] } {
  const tokens: Token[] = [];
  const unknown: SourceText[] = [];
  let at = 0;
  while (at < source.length) {
    const { kind, text } = matchToken(source, at);
    if (kind === "unknown") unknown.push({ text, at });
    else if (kind !== undefined) tokens.push({ kind, text, at });
    at += text.length;
  }
  tokens.push({ kind: "end", text: "<EOF>", at: source.length });
  return { tokens, unknown };
}

function matchToken(source: string, at: number): { readonly kind: TokenKind | "unknown" | undefined; readonly text: string } {
  for (const [pattern, kind] of patterns) {
    const text = matchAt(pattern, source, at);
    if (text !== undefined) return { text, kind: kind === "string" && /^[rR]?[bB]/.test(text) ? "bytes" : kind };
  }
  return { kind: "unknown", text: unfinishedTokens.map((pattern) => matchAt(pattern, source, at)).find((text) => text !== undefined)! };
}

function matchAt(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}
