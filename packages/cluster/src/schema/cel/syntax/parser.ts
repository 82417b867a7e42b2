import { Uint } from "../values/value.ts";
import { call, type Expr, ident, literal, type MapEntry } from "./ast.ts";
import { CelSyntaxError, type ExpressionIssue } from "./issue.ts";
import type { Token } from "./lexer.ts";
import { expandMacro } from "./macros.ts";
import { parseBytesLiteral, parseStringLiteral } from "./strings.ts";
import { startsExpression, TokenStream } from "./token-stream.ts";

const maxDepth = 250;
const maxInt = 2n ** 63n;
/** Of integer literals: `BigInt` takes more than linear time. */
const MAX_LITERAL_LENGTH = 64;
const relations = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);
const constants: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
/** Not allowed as variables and functions, but as fields. */
const reserved = new Set("as break const continue else for function if import let loop package namespace return var void while".split(" "));

/** Parses a CEL expression and expands its macros. Returns the issues instead if there are any. */
export function parseExpression(source: string): Expr | readonly ExpressionIssue[] {
  const tokens = new TokenStream(source);
  const expr = new Parser(tokens).parse();
  return tokens.issues.length > 0 ? tokens.issues : expr;
}

class Parser {
  readonly #tokens: TokenStream;
  #depth = 0;

  constructor(tokens: TokenStream) {
    this.#tokens = tokens;
  }

  parse(): Expr {
    const expr = this.#expression();
    if (this.#tokens.peek.kind !== "end") this.#tokens.expect("<EOF>");
    return expr;
  }

  /** Reports an error in the meaning of a part of the expression and stands in for that part. */
  #report(at: number, message: string): Expr {
    this.#tokens.report(at, message);
    return literal(at, null);
  }

  /** Returns what `build` makes of the parts of an expression; an error in their meaning is reported, and parsing continues. */
  #build(at: number, build: () => Expr): Expr {
    try {
      return build();
    } catch (error) {
      if (!(error instanceof CelSyntaxError)) throw error;
      this.#tokens.report(error.at, error.message);
      return literal(at, null);
    }
  }

  #expression(): Expr {
    if (++this.#depth > maxDepth) throw new CelSyntaxError(-1, `expression recursion limit exceeded: ${maxDepth}`);
    const condition = this.#or();
    const question = this.#tokens.accept("?");
    let expr = condition;
    if (question !== undefined) {
      const yes = this.#tokens.within([":"], () => this.#or());
      const colon = this.#tokens.expect(":", startsExpression);
      expr = colon === undefined ? condition : call(question.at, "_?_:_", condition, yes, this.#expression());
    }
    this.#depth--;
    return expr;
  }

  #or(): Expr {
    return this.#logical("||", "_||_", () => this.#logical("&&", "_&&_", () => this.#relation()));
  }

  #logical(operator: string, fn: string, operand: () => Expr): Expr {
    const terms = [operand()];
    const places: number[] = [];
    for (let op = this.#tokens.accept(operator); op !== undefined; op = this.#tokens.accept(operator)) {
      places.push(op.at);
      terms.push(operand());
    }
    return balanceLogical(fn, terms, places, 0, places.length - 1);
  }

  #relation(): Expr {
    let left = this.#sum();
    for (let op = this.#tokens.accept(...relations); op !== undefined; op = this.#tokens.accept(...relations)) {
      left = call(op.at, op.text === "in" ? "@in" : `_${op.text}_`, left, this.#sum());
    }
    return left;
  }

  #sum(): Expr {
    let left = this.#product();
    for (let op = this.#tokens.accept("+", "-"); op !== undefined; op = this.#tokens.accept("+", "-"))
      left = call(op.at, `_${op.text}_`, left, this.#product());
    return left;
  }

  #product(): Expr {
    let left = this.#unary();
    for (let op = this.#tokens.accept("*", "/", "%"); op !== undefined; op = this.#tokens.accept("*", "/", "%"))
      left = call(op.at, `_${op.text}_`, left, this.#unary());
    return left;
  }

  #unary(): Expr {
    const first = this.#tokens.accept("!", "-");
    if (first === undefined) return this.#member(this.#primary());
    let count = 1;
    while (this.#tokens.accept(first.text) !== undefined) count++;
    const number = this.#tokens.peek;
    if (first.text === "-" && count === 1 && (number.kind === "int" || number.kind === "float")) {
      this.#tokens.take();
      return this.#member(this.#number(number, "-", first.at));
    }
    if (first.text === "-" && (number.text === "!" || !startsExpression(number))) {
      this.#tokens.reportNoAlternative(first);
      return literal(first.at, null);
    }
    const operand = this.#member(this.#primary());
    return count % 2 === 0 ? operand : call(first.at, `${first.text}_`, operand);
  }

  #member(start: Expr): Expr {
    let expr = start;
    for (;;) {
      const dot = this.#tokens.accept(".");
      if (dot !== undefined) {
        expr = this.#selected(expr, dot);
        continue;
      }
      const bracket = this.#tokens.accept("[");
      if (bracket === undefined) return expr;
      expr = this.#indexed(expr, bracket);
    }
  }

  #indexed(operand: Expr, bracket: Token): Expr {
    if (!this.#tokens.within(["]"], () => this.#tokens.expectExpression("?"))) return this.#closed("]", operand);
    const optional = this.#tokens.accept("?") !== undefined;
    const index = this.#tokens.within(["]"], () => this.#expression());
    return this.#closed("]", call(bracket.at, optional ? "_[?_]" : "_[_]", operand, index));
  }

  #closed<T>(bracket: string, inside: T): T {
    this.#tokens.expect(bracket);
    return inside;
  }

  #selected(operand: Expr, dot: Token): Expr {
    if (this.#tokens.accept("?") !== undefined) {
      const field = this.#optionalField();
      return call(dot.at, "_?._", operand, field);
    }
    const name = this.#tokens.peek;
    if (name.kind === "quotedIdent") {
      this.#quoted(this.#tokens.take().at);
      return { is: "select", at: dot.at, operand, field: name.text, test: false };
    }
    if (name.kind !== "ident" || name.text === "in") {
      this.#tokens.reportNoAlternative(dot);
      return operand;
    }
    if (constants.has(name.text)) {
      this.#tokens.expectOneOf("IDENTIFIER", () => false);
      return operand;
    }
    const field = this.#tokens.take().text;
    const open = this.#tokens.accept("(");
    if (open === undefined) return { is: "select", at: dot.at, operand, field, test: false };
    const args = this.#arguments();
    return this.#build(
      open.at,
      () => expandMacro(open.at, field, operand, args) ?? { is: "call", at: open.at, fn: field, target: operand, args },
    );
  }

  #optionalField(): Expr {
    const name = this.#tokens.peek;
    if (name.kind === "quotedIdent") return this.#quoted(this.#tokens.take().at);
    if (!isIdentifier(name)) {
      this.#tokens.expectOneOf("{IDENTIFIER, ESC_IDENTIFIER}", isIdentifier);
      if (!isIdentifier(this.#tokens.peek)) return this.#report(name.at, "unsupported ident kind");
    }
    const { at, text } = this.#tokens.take();
    return literal(at, text);
  }

  /** Kubernetes does not enable backquoted field names, which its own escaping (`__namespace__`, `a__dash__b`) replaces. */
  #quoted(at: number): Expr {
    return this.#report(at, "unsupported syntax: '`'");
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    const followers = [")", ","];
    this.#tokens.within(followers, () => this.#tokens.expectExpression(")"));
    if (this.#tokens.accept(")") !== undefined) return args;
    do args.push(this.#tokens.within(followers, () => this.#expression()));
    while (this.#tokens.accept(",") !== undefined);
    this.#tokens.expect(")");
    return args;
  }

  #primary(): Expr {
    const { at } = this.#tokens.peek;
    if (!this.#tokens.expectExpression()) return literal(at, null);
    const token = this.#tokens.peek;
    if (token.kind === "ident") return this.#named(undefined);
    this.#tokens.take();
    switch (token.kind) {
      case "int":
      case "uint":
      case "float":
        return this.#number(token, "", token.at);
      case "string":
        return this.#build(token.at, () => literal(token.at, parseStringLiteral(token.text, token.at)));
      case "bytes":
        return this.#build(token.at, () => literal(token.at, parseBytesLiteral(token.text, token.at)));
    }
    switch (token.text) {
      case "(":
        return this.#closed(
          ")",
          this.#tokens.within([")"], () => this.#expression()),
        );
      case "[":
        return this.#list(token.at);
      case "{":
        return this.#map(token.at);
      case ".":
        return this.#named(token);
      default:
        return this.#negativeNumber(token);
    }
  }

  /** Parses the number in `!-1`, where the sign is part of the literal. */
  #negativeNumber(sign: Token): Expr {
    const number = this.#tokens.peek;
    if (number.kind === "int" || number.kind === "float") return this.#number(this.#tokens.take(), "-", sign.at);
    this.#tokens.reportNoAlternative(sign);
    return literal(sign.at, null);
  }

  #number(token: Token, sign: string, at: number): Expr {
    const { kind, text } = token;
    if (kind === "float") return literal(at, Number(sign + text));
    const digits = kind === "uint" ? text.slice(0, -1) : text;
    // Longer than any literal in range, hexadecimal ones included.
    const value = digits.length > MAX_LITERAL_LENGTH ? 2n ** 64n : BigInt(digits);
    if (kind === "uint") return value >= 2n ** 64n ? this.#report(at, "invalid uint literal") : literal(at, new Uint(value));
    const signed = sign === "-" ? -value : value;
    return signed >= maxInt || signed < -maxInt ? this.#report(at, "invalid int literal") : literal(at, signed);
  }

  #named(dot: Token | undefined): Expr {
    if (!isIdentifier(this.#tokens.peek) && dot !== undefined) {
      this.#tokens.expectOneOf("IDENTIFIER", isIdentifier);
      if (!isIdentifier(this.#tokens.peek)) return literal(dot.at, null);
    }
    const token = this.#tokens.take();
    if (constants.has(token.text)) return literal(token.at, constants.get(token.text)!);
    const name = (dot === undefined ? "" : ".") + token.text;
    const struct = this.#structAfter(name);
    if (struct !== undefined) return struct;
    const open = this.#tokens.accept("(");
    const args = open === undefined ? [] : this.#arguments();
    if (reserved.has(token.text)) return this.#report(dot?.at ?? token.at, `reserved identifier: ${token.text}`);
    if (open === undefined) return ident(token.at, name);
    return this.#build(
      open.at,
      () => expandMacro(open.at, name, undefined, args) ?? { is: "call", at: open.at, fn: name, target: undefined, args },
    );
  }

  /** Parses `a.b.Type{field: value}`; returns undefined and rewinds if no brace follows the qualified name. */
  #structAfter(first: string): Expr | undefined {
    const from = this.#tokens.position;
    let type = first;
    while (this.#tokens.accept(".") !== undefined && isIdentifier(this.#tokens.peek)) type += `.${this.#tokens.take().text}`;
    const brace = this.#tokens.accept("{");
    if (brace === undefined) {
      this.#tokens.rewind(from);
      return undefined;
    }
    const start = this.#tokens.peek.at;
    const fields = this.#entries("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}", startsField, () => {
      this.#tokens.accept("?");
      const name = this.#tokens.take();
      const colon = this.#tokens.expect(":", startsExpression);
      const value = this.#tokens.within(["}", ","], () => this.#expression());
      if (name.kind === "quotedIdent") this.#quoted(start);
      return { at: colon?.at ?? name.at, name: name.text, value };
    });
    return { is: "struct", at: brace.at, type, fields };
  }

  #list(at: number): Expr {
    const items: Expr[] = [];
    const optional = new Set<number>();
    this.#tokens.within(["]", ","], () => this.#tokens.expectExpression("]", ",", "?"));
    let comma: Token | undefined;
    while (startsExpression(this.#tokens.peek) || this.#tokens.peek.text === "?") {
      if (this.#tokens.accept("?") !== undefined) optional.add(items.length);
      items.push(this.#tokens.within(["]", ","], () => this.#expression()));
      comma = this.#separator("]");
      if (comma === undefined) break;
    }
    if (items.length === 0) this.#tokens.accept(",");
    this.#tokens.expect("]");
    return { is: "list", at, items, optional };
  }

  /** Takes the comma behind an item; returns undefined if the bracket follows, or should. */
  #separator(bracket: string): Token | undefined {
    const isEnd = ({ kind, text }: Token) => kind === "op" && (text === "," || text === bracket);
    this.#tokens.expectOneOf(`{'${bracket}', ','}`, isEnd);
    return this.#tokens.accept(",");
  }

  #map(at: number): Expr {
    const expected =
      "{'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
    const starts = (token: Token) => startsExpression(token) || token.text === "?";
    const entries = this.#entries(expected, starts, (): MapEntry => {
      const optional = this.#tokens.accept("?") !== undefined;
      const key = this.#tokens.within([":"], () => this.#expression());
      const colon = this.#tokens.expect(":", startsExpression);
      const value = colon === undefined ? key : this.#tokens.within(["}", ","], () => this.#expression());
      return { at: colon?.at ?? key.at, key, value, optional };
    });
    return { is: "map", at, entries };
  }

  #entries<T>(expected: string, starts: (token: Token) => boolean, entry: () => T): T[] {
    const found: T[] = [];
    const isStart = (token: Token) => starts(token) || (token.kind === "op" && (token.text === "}" || token.text === ","));
    this.#tokens.within(["}", ","], () => this.#tokens.expectOneOf(expected, isStart));
    while (starts(this.#tokens.peek)) {
      found.push(this.#tokens.within(["}", ","], entry));
      if (this.#separator("}") === undefined) break;
    }
    if (found.length === 0) this.#tokens.accept(",");
    this.#tokens.expect("}");
    return found;
  }
}

/** True for names of variables, fields and functions: `true`, `false`, `null` and `in` are tokens of their own. */
function isIdentifier({ kind, text }: Token): boolean {
  return kind === "ident" && text !== "in" && !constants.has(text);
}

function startsField(token: Token): boolean {
  return isIdentifier(token) || token.kind === "quotedIdent" || (token.kind === "op" && token.text === "?");
}

/** Builds a balanced tree from a long chain of && or ||, which limits its depth. */
function balanceLogical(fn: string, terms: readonly Expr[], places: readonly number[], low: number, high: number): Expr {
  if (places.length === 0) return terms[0]!;
  const middle = Math.floor((low + high + 1) / 2);
  const left = middle === low ? terms[middle]! : balanceLogical(fn, terms, places, low, middle - 1);
  const right = middle === high ? terms[middle + 1]! : balanceLogical(fn, terms, places, middle + 1, high);
  return call(places[middle]!, fn, left, right);
}
