/** A token of TypeScript source. Comments and whitespace are skipped; the expressions of a template literal are tokens of their own. */
export interface Token {
  readonly kind: "identifier" | "string" | "template" | "number" | "regex" | "punctuator";
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Index of the token that opens the enclosing bracket; -1 at the top level. */
  readonly parent: number;
  /** For a bracket: the index of its partner, once known. */
  partner?: number | undefined;
}

const IDENTIFIER = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]+)?|\.\d[\d_]*(?:[eE][+-]?[\d_]+)?)n?/y;
const PUNCTUATOR =
  /\.\.\.|=>|\?\.(?!\d)|\?\?=?|===?|!==?|<=|\+\+|--|&&=?|\|\|=?|\*\*=?|[+\-*%&|^]=|#[\p{ID_Start}$_][\p{ID_Continue}$]*|[{}()[\];,<>+\-*/%&|^!~?:=.@#]/uy;
const SKIPPED = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const STRING = /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const TEMPLATE_PART = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y;
/** Keywords after which a slash starts a regular expression. */
const BEFORE_REGEX = new Set("return typeof case in of delete void throw new else do await yield instanceof".split(" "));
const OPENING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Splits source text into tokens. Throws a `SyntaxError` for text that is not TypeScript, such as an unclosed bracket or string. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const open: number[] = [];
  /** Indexes of the `${` whose template literal continues after the closing brace. */
  const templates: number[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const add = (kind: Token["kind"], length: number): void => {
    tokens.push({ kind, text: text.slice(at, at + length), start: at, end: at + length, parent: open.at(-1) ?? -1 });
    at += length;
  };
  /** Scans template characters up to the closing backtick or the next expression. */
  const addTemplatePart = (prefix: number): void => {
    at += prefix;
    const part = match(TEMPLATE_PART) ?? "";
    at -= prefix;
    const isEnd = text[at + prefix + part.length] === "`";
    if (!isEnd && text[at + prefix + part.length] !== "$") throw new SyntaxError(`unterminated template literal at ${at}`);
    add("template", prefix + part.length + (isEnd ? 1 : 2));
    if (isEnd) return;
    open.push(tokens.length - 1);
    templates.push(tokens.length - 1);
  };

  if (text.startsWith("#!")) at = text.indexOf("\n") < 0 ? text.length : text.indexOf("\n");
  while (at < text.length) {
    const skipped = match(SKIPPED);
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    const character = text[at]!;
    if (character === '"' || character === "'") {
      const string = match(STRING);
      if (string === undefined) throw new SyntaxError(`unterminated string at ${at}`);
      add("string", string.length);
    } else if (character === "`") addTemplatePart(1);
    else if (character === "}" && templates.at(-1) !== undefined && templates.at(-1) === open.at(-1)) {
      tokens[open.pop()!]!.partner = tokens.length;
      templates.pop();
      addTemplatePart(1);
    } else if (character === "/" && startsRegex(tokens.at(-1)) && match(REGEX) !== undefined) add("regex", match(REGEX)!.length);
    else if (match(IDENTIFIER) !== undefined) add("identifier", match(IDENTIFIER)!.length);
    else if (/\d|\.\d/.test(text.slice(at, at + 2)) && match(NUMBER) !== undefined) add("number", match(NUMBER)!.length);
    else {
      const punctuator = match(PUNCTUATOR);
      if (punctuator === undefined) throw new SyntaxError(`unexpected character at ${at}`);
      if (punctuator === ")" || punctuator === "]" || punctuator === "}") {
        const opener = tokens[open.pop() ?? -1];
        if (opener === undefined || OPENING[opener.text] !== punctuator) throw new SyntaxError(`unexpected ${punctuator} at ${at}`);
        opener.partner = tokens.length;
        add("punctuator", 1);
      } else {
        add("punctuator", punctuator.length);
        if (OPENING[punctuator] !== undefined) open.push(tokens.length - 1);
      }
    }
  }
  if (open.length > 0) throw new SyntaxError(`unclosed ${tokens[open.at(-1)!]!.text}`);
  return tokens;
}

function startsRegex(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === "identifier") return BEFORE_REGEX.has(previous.text);
  if (previous.kind === "punctuator") return ![")", "]", "}"].includes(previous.text);
  return previous.kind === "template" && previous.text.endsWith("${");
}
