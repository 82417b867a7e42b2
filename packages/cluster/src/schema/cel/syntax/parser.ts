import { Uint } from "../values/value.ts";
import { call, type Expr, ident, literal, type MapEntry } from "./ast.ts";
import { SyntaxIssue } from "./issue.ts";
import { type Token, tokens } from "./lexer.ts";
import { expandMacro } from "./macros.ts";
import { bytesValue, stringValue } from "./strings.ts";

const maxDepth = 250;
const maxInt = 2n ** 63n;
const relations = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);
const reserved = new Set("as break const continue else for function if import let loop package namespace return var void while".split(" "));

/** Reads a CEL expression; macros are expanded. Throws a SyntaxIssue. */
export function parse(source: string): Expr {
  return new Parser(source).whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(source: string) {
    this.#tokens = tokens(source);
  }

  whole(): Expr {
    const expr = this.#expression();
    if (this.#peek.kind !== "end") throw this.#unexpected("<EOF>");
    return expr;
  }

  get #peek(): Token {
    return this.#tokens[this.#next]!;
  }

  #unexpected(expecting?: string): SyntaxIssue {
    const { at, text, kind } = this.#peek;
    if (expecting === undefined) {
      return new SyntaxIssue(
        at,
        `Syntax error: mismatched input '${text}' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`,
      );
    }
    const what = kind === "end" ? "mismatched input" : "extraneous input";
    return new SyntaxIssue(at, `Syntax error: ${what} '${text}' expecting ${expecting}`);
  }

  #accept(...texts: string[]): Token | undefined {
    const token = this.#peek;
    const isWord = token.kind === "ident" && token.text === "in";
    if ((token.kind !== "op" && !isWord) || !texts.includes(token.text)) return undefined;
    this.#next++;
    return token;
  }

  #expect(text: string): Token {
    const token = this.#accept(text);
    if (token === undefined) throw this.#unexpected(`'${text}'`);
    return token;
  }

  #expression(): Expr {
    if (++this.#depth > maxDepth) throw new SyntaxIssue(-1, `expression recursion limit exceeded: ${maxDepth}`);
    const condition = this.#or();
    const question = this.#accept("?");
    let expr = condition;
    if (question !== undefined) {
      const yes = this.#or();
      this.#expect(":");
      expr = call(question.at, "_?_:_", condition, yes, this.#expression());
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
    for (let op = this.#accept(operator); op !== undefined; op = this.#accept(operator)) {
      places.push(op.at);
      terms.push(operand());
    }
    return balanced(fn, terms, places, 0, places.length - 1);
  }

  #relation(): Expr {
    let left = this.#sum();
    for (let op = this.#accept(...relations); op !== undefined; op = this.#accept(...relations)) {
      left = call(op.at, op.text === "in" ? "@in" : `_${op.text}_`, left, this.#sum());
    }
    return left;
  }

  #sum(): Expr {
    let left = this.#product();
    for (let op = this.#accept("+", "-"); op !== undefined; op = this.#accept("+", "-"))
      left = call(op.at, `_${op.text}_`, left, this.#product());
    return left;
  }

  #product(): Expr {
    let left = this.#unary();
    for (let op = this.#accept("*", "/", "%"); op !== undefined; op = this.#accept("*", "/", "%"))
      left = call(op.at, `_${op.text}_`, left, this.#unary());
    return left;
  }

  #unary(): Expr {
    const first = this.#accept("!", "-");
    if (first === undefined) return this.#member(this.#primary());
    let count = 1;
    while (this.#accept(first.text) !== undefined) count++;
    const number = this.#peek;
    if (first.text === "-" && count === 1 && (number.kind === "int" || number.kind === "float")) {
      this.#next++;
      return this.#member(this.#number(number, "-", first.at));
    }
    const operand = this.#member(this.#primary());
    return count % 2 === 0 ? operand : call(first.at, `${first.text}_`, operand);
  }

  #member(start: Expr): Expr {
    let expr = start;
    for (;;) {
      const dot = this.#accept(".");
      if (dot !== undefined) {
        expr = this.#selected(expr, dot);
        continue;
      }
      const bracket = this.#accept("[");
      if (bracket === undefined) return expr;
      const optional = this.#accept("?") !== undefined;
      const index = this.#expression();
      this.#expect("]");
      expr = call(bracket.at, optional ? "_[?_]" : "_[_]", expr, index);
    }
  }

  #selected(operand: Expr, dot: Token): Expr {
    const optional = this.#accept("?") !== undefined;
    const name = this.#peek;
    if (name.kind !== "ident" && name.kind !== "quotedIdent")
      throw new SyntaxIssue(name.at, `Syntax error: no viable alternative at input '.${name.text === "<EOF>" ? "" : name.text}'`);
    this.#next++;
    const field = name.kind === "quotedIdent" ? name.text.slice(1, -1) : name.text;
    if (optional) return call(dot.at, "_?._", operand, literal(name.at, field));
    const open = this.#accept("(");
    if (open === undefined) return { is: "select", at: dot.at, operand, field, test: false };
    const args = this.#arguments();
    return expandMacro(open.at, field, operand, args) ?? { is: "call", at: open.at, fn: field, target: operand, args };
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#accept(")") !== undefined) return args;
    do args.push(this.#expression());
    while (this.#accept(",") !== undefined);
    this.#expect(")");
    return args;
  }

  #primary(): Expr {
    const token = this.#peek;
    switch (token.kind) {
      case "int":
      case "uint":
      case "float":
        this.#next++;
        return this.#number(token, "", token.at);
      case "string":
        this.#next++;
        return literal(token.at, stringValue(token.text, token.at));
      case "bytes":
        this.#next++;
        return literal(token.at, bytesValue(token.text, token.at));
      case "ident":
        return this.#named("");
      case "op":
        break;
      default:
        throw this.#unexpected();
    }
    const op = this.#accept("(", "[", "{", ".");
    switch (op?.text) {
      case "(": {
        const expr = this.#expression();
        this.#expect(")");
        return expr;
      }
      case "[":
        return this.#list(op.at);
      case "{":
        return this.#map(op.at);
      case ".":
        return this.#named(".");
      default:
        throw this.#unexpected();
    }
  }

  #number(token: Token, sign: string, at: number): Expr {
    const { kind, text } = token;
    if (kind === "float") return literal(at, Number(sign + text));
    const value = BigInt(kind === "uint" ? text.slice(0, -1) : text);
    if (kind === "uint") {
      if (value >= 2n ** 64n) throw new SyntaxIssue(at, "invalid uint literal");
      return literal(at, new Uint(value));
    }
    const signed = sign === "-" ? -value : value;
    if (signed >= maxInt || signed < -maxInt) throw new SyntaxIssue(at, "invalid int literal");
    return literal(at, signed);
  }

  #named(dot: string): Expr {
    const token = this.#peek;
    if (token.kind !== "ident") throw this.#unexpected("IDENTIFIER");
    this.#next++;
    const constants: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
    if (dot === "" && Object.hasOwn(constants, token.text)) return literal(token.at, constants[token.text]!);
    if (token.text === "in") {
      this.#next--;
      throw this.#unexpected();
    }
    if (reserved.has(token.text)) throw new SyntaxIssue(token.at, `reserved identifier: ${token.text}`);
    const name = dot + token.text;
    const struct = this.#structAfter(name);
    if (struct !== undefined) return struct;
    const open = this.#accept("(");
    if (open === undefined) return ident(token.at, name);
    const args = this.#arguments();
    return expandMacro(open.at, name, undefined, args) ?? { is: "call", at: open.at, fn: name, target: undefined, args };
  }

  /** `a.b.Type{field: value}`: only told from a selection by the brace at its end. */
  #structAfter(first: string): Expr | undefined {
    const from = this.#next;
    let type = first;
    while (this.#accept(".") !== undefined && this.#peek.kind === "ident") {
      type += `.${this.#peek.text}`;
      this.#next++;
    }
    const brace = this.#accept("{");
    if (brace === undefined) {
      this.#next = from;
      return undefined;
    }
    const fields = this.#entries(() => {
      const name = this.#peek;
      if (name.kind !== "ident" && name.kind !== "quotedIdent") throw this.#unexpected("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}");
      this.#next++;
      const { at } = this.#expect(":");
      return { at, name: name.text, value: this.#expression() };
    });
    return { is: "struct", at: brace.at, type, fields };
  }

  #list(at: number): Expr {
    const items: Expr[] = [];
    const optional = new Set<number>();
    while (this.#accept("]") === undefined) {
      if (this.#accept("?") !== undefined) optional.add(items.length);
      items.push(this.#expression());
      if (this.#accept(",") === undefined) {
        this.#expect("]");
        break;
      }
    }
    return { is: "list", at, items, optional };
  }

  #map(at: number): Expr {
    const entries = this.#entries((): MapEntry => {
      const optional = this.#accept("?") !== undefined;
      const key = this.#expression();
      const colon = this.#expect(":");
      return { at: colon.at, key, value: this.#expression(), optional };
    });
    return { is: "map", at, entries };
  }

  #entries<T>(entry: (at: number) => T): T[] {
    const found: T[] = [];
    while (this.#accept("}") === undefined) {
      found.push(entry(this.#peek.at));
      if (this.#accept(",") === undefined) {
        this.#expect("}");
        break;
      }
    }
    return found;
  }
}

/** Long chains of && and || become balanced trees, so that their depth stays small. */
function balanced(fn: string, terms: readonly Expr[], places: readonly number[], low: number, high: number): Expr {
  if (places.length === 0) return terms[0]!;
  const middle = Math.floor((low + high + 1) / 2);
  const left = middle === low ? terms[middle]! : balanced(fn, terms, places, low, middle - 1);
  const right = middle === high ? terms[middle + 1]! : balanced(fn, terms, places, middle + 1, high);
  return call(places[middle]!, fn, left, right);
}
