import type { ExpressionIssue } from "./issue.ts";
import { type SourceText, type Token, tokenize } from "./lexer.ts";

/** The tokens that an expression can begin with, as ANTLR lists them in its messages. */
const EXPRESSION_STARTS = ["'['", "'{'", "'('", "'.'", "'-'", "'!'", "'true'", "'false'", "'null'"];
const LITERAL_STARTS = ["NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES", "IDENTIFIER"];
/** The order in which ANTLR lists tokens. */
const TOKEN_ORDER = ["'['", "']'", "'{'", "'}'", "'('", "')'", "'.'", "','", "'-'", "'!'", "'?'", "':'", "'true'", "'false'", "'null'"];
const CONTINUATIONS = new Set(["==", "!=", "<", "<=", ">", ">=", "in", "&&", "||", "+", "-", "*", "/", "%", ".", "[", "?"]);

/**
 * The tokens of an expression and the issues found in it. Follows the default error strategy of ANTLR, because the API server returns its
 * messages: an error is reported once until a token matches again, one superfluous or missing token is repaired,
 * and otherwise tokens are skipped up to one that can follow.
 */
export class TokenStream {
  readonly issues: ExpressionIssue[];
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #unknown: readonly SourceText[];
  /** The tokens that can follow in each enclosing bracket, innermost last. */
  readonly #enclosing: (readonly string[])[] = [["<EOF>"]];
  #next = 0;
  #recovering = false;

  constructor(source: string) {
    const { tokens, unknown } = tokenize(source);
    this.#source = source;
    this.#tokens = tokens;
    this.#unknown = unknown;
    this.issues = unknown.map(({ at, text }) => ({ at, message: `Syntax error: token recognition error at: '${text}'` }));
  }

  get peek(): Token {
    return this.#tokens[this.#next]!;
  }

  get position(): number {
    return this.#next;
  }

  /** Goes back to a position; nothing may have been reported since. */
  rewind(position: number): void {
    this.#next = position;
  }

  take(): Token {
    const token = this.peek;
    if (token.kind !== "end") this.#next++;
    this.#recovering = false;
    return token;
  }

  accept(...texts: readonly string[]): Token | undefined {
    return isSymbol(this.peek) && texts.includes(this.peek.text) ? this.take() : undefined;
  }

  /** Runs a parse function inside a bracket, where each of `followers` can end an expression. */
  within<T>(followers: readonly string[], parse: () => T): T {
    this.#enclosing.push(followers);
    try {
      return parse();
    } finally {
      this.#enclosing.pop();
    }
  }

  /** Takes the expected symbol, or reports its absence. Returns undefined if parsing continues behind skipped tokens. */
  expect(text: string, follows: (token: Token) => boolean = (token) => this.#continuesExpression(token)): Token | undefined {
    const accepted = this.accept(text);
    if (accepted !== undefined) return accepted;
    const quoted = text === "<EOF>" ? text : `'${text}'`;
    if (this.#skipSuperfluous(quoted, ({ text: after }) => after === text)) return this.take();
    if (text !== "<EOF>" && follows(this.peek)) {
      this.#reportSyntax(this.peek, `missing ${quoted} at '${this.peek.text}'`);
      return this.peek;
    }
    this.#reportMismatch(quoted);
    return undefined;
  }

  /** Reports a token with which no expression can begin. `others` may stand there as well. Returns false if an expression must be assumed. */
  expectExpression(...others: readonly string[]): boolean {
    const isAllowed = (token: Token) => startsExpression(token) || (isSymbol(token) && others.includes(token.text));
    if (isAllowed(this.peek)) return true;
    const expected = listExpected(others);
    if (this.#skipSuperfluous(expected, isAllowed)) return true;
    this.#reportMismatch(expected);
    return false;
  }

  /** Reports a token that is none of the given ones. Returns false if nothing was repaired. */
  expectOneOf(expected: string, allowed: (token: Token) => boolean): boolean {
    if (allowed(this.peek) || this.#skipSuperfluous(expected, allowed)) return true;
    this.#reportMismatch(expected);
    return false;
  }

  /** Reports an error in the meaning of an expression, whose syntax is correct. */
  report(at: number, message: string): void {
    this.issues.push({ at, message });
  }

  /** Reports that no alternative of the grammar continues from `start` with the next token, and skips to one that can follow. */
  reportNoAlternative(start: Token): void {
    this.#reportSyntax(this.peek, `no viable alternative at input '${this.#textFrom(start)}'`);
    this.#skipToFollower();
  }

  /** Returns the source from a token up to and including the next one, without text that is no token. */
  #textFrom({ at }: Token): string {
    const end = this.peek.kind === "end" ? this.peek.at : this.peek.at + this.peek.text.length;
    let text = "";
    let from = at;
    for (const unknown of this.#unknown) {
      if (unknown.at < at || unknown.at >= end) continue;
      text += this.#source.slice(from, unknown.at);
      from = unknown.at + unknown.text.length;
    }
    return text + this.#source.slice(from, end);
  }

  #skipSuperfluous(expected: string, allowed: (token: Token) => boolean): boolean {
    const after = this.#tokens[this.#next + 1];
    if (after === undefined || !allowed(after)) return false;
    this.#reportSyntax(this.peek, `extraneous input '${this.peek.text}' expecting ${expected}`);
    this.#next++;
    return true;
  }

  #reportMismatch(expected: string): void {
    this.#reportSyntax(this.peek, `mismatched input '${this.peek.text}' expecting ${expected}`);
    this.#skipToFollower();
  }

  #reportSyntax({ at }: Token, message: string): void {
    if (!this.#recovering) this.issues.push({ at, message: `Syntax error: ${message}` });
    this.#recovering = true;
  }

  #skipToFollower(): void {
    const closers = new Set(this.#enclosing.flat());
    while (this.peek.kind !== "end" && !(isSymbol(this.peek) && (CONTINUATIONS.has(this.peek.text) || closers.has(this.peek.text))))
      this.#next++;
  }

  #continuesExpression(token: Token): boolean {
    const followers = this.#enclosing.at(-1)!;
    if (token.kind === "end") return followers.includes("<EOF>");
    return isSymbol(token) && (CONTINUATIONS.has(token.text) || followers.includes(token.text));
  }
}

/** True for operators and brackets, and for `in`, which is an operator that looks like an identifier. */
function isSymbol({ kind, text }: Token): boolean {
  return kind === "op" || (kind === "ident" && text === "in");
}

export function startsExpression(token: Token): boolean {
  if (isSymbol(token)) return EXPRESSION_STARTS.includes(`'${token.text}'`);
  return token.kind !== "end" && token.kind !== "quotedIdent";
}

function listExpected(others: readonly string[]): string {
  const symbols = new Set([...EXPRESSION_STARTS, ...others.map((text) => `'${text}'`)]);
  return `{${[...TOKEN_ORDER.filter((text) => symbols.has(text)), ...LITERAL_STARTS].join(", ")}}`;
}
