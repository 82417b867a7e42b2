import { SyntaxIssue } from "./issue.ts";

export type TokenKind = "ident" | "quotedIdent" | "int" | "uint" | "float" | "string" | "bytes" | "op" | "end";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

const patterns: readonly (readonly [RegExp, TokenKind | undefined])[] = [
  [/[\t \r\n\f]+|\/\/[^\n]*/y, undefined],
  [/[bB]?[rR][bB]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/y, "string"],
  [/[bB]?(?:"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?''')/y, "string"],
  [/[bB]?(?:"(?:\\.|[^"\\\n\r])*"|'(?:\\.|[^'\\\n\r])*')/y, "string"],
  [/(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y, "float"],
  [/(?:0x[0-9a-fA-F]+|\d+)[uU]/y, "uint"],
  [/0x[0-9a-fA-F]+|\d+/y, "int"],
  [/[A-Za-z_][A-Za-z0-9_]*/y, "ident"],
  [/`[A-Za-z0-9_.\-/ ]+`/y, "quotedIdent"],
  [/==|!=|<=|>=|&&|\|\||[[\]{}().,\-!?:+*/%<>]/y, "op"],
];

export function tokens(source: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const token = nextToken(source, at);
    if (token.kind !== undefined) found.push({ kind: token.kind, text: token.text, at });
    at += token.text.length;
  }
  found.push({ kind: "end", text: "<EOF>", at: source.length });
  return found;
}

function nextToken(source: string, at: number): { readonly kind: TokenKind | undefined; readonly text: string } {
  for (const [pattern, kind] of patterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match === null) continue;
    const [text] = match;
    return { text, kind: kind === "string" && /^[rR]?[bB]/.test(text) ? "bytes" : kind };
  }
  throw new SyntaxIssue(at, `Syntax error: token recognition error at: '${source[at]}'`);
}
