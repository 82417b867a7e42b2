import { toUSVString } from "node:util";
import type { Json } from "pintle/kinds";
import { BodyError } from "../body-error.ts";
import type { Decoded } from "./decode.ts";

const MAX_REPORTS = 100;

/** The slow, exact reader of JSON: repeated fields by path, integers with all their digits, errors in Go's words. */
export function parseExactly(text: string): Decoded {
  const parser = new Parser(text);
  const value = parser.document();
  return { value, strict: [...parser.repeated].slice(0, MAX_REPORTS).map((path) => `duplicate field ${JSON.stringify(path)}`) };
}

class Parser {
  readonly repeated = new Set<string>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Json {
    const value = this.#value("");
    this.#space();
    if (this.#at < this.#text.length) this.#fail("after top-level value");
    return value;
  }

  #value(path: string): Json {
    this.#space();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(path);
      case "[":
        return this.#list(path);
      case '"':
        return this.#string();
      case "t":
        return this.#literal("true", true);
      case "f":
        return this.#literal("false", false);
      case "n":
        return this.#literal("null", null);
      default:
        return this.#number();
    }
  }

  #object(path: string): Json {
    const object: Record<string, Json> = {};
    this.#at++;
    this.#space();
    if (this.#skip("}")) return object;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail("looking for beginning of object key string");
      const key = this.#string();
      const full = path === "" ? key : `${path}.${key}`;
      if (Object.hasOwn(object, key)) this.repeated.add(full);
      this.#space();
      if (!this.#skip(":")) this.#fail("after object key");
      const value = this.#value(full);
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      this.#space();
      if (this.#skip("}")) return object;
      if (!this.#skip(",")) this.#fail("after object key:value pair");
    }
  }

  #list(path: string): Json {
    const list: Json[] = [];
    this.#at++;
    this.#space();
    if (this.#skip("]")) return list;
    for (;;) {
      list.push(this.#value(`${path}[${list.length}]`));
      this.#space();
      if (this.#skip("]")) return list;
      if (!this.#skip(",")) this.#fail("after array element");
    }
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      const c = this.#text[this.#at];
      if (c === undefined || c < " ") this.#fail("in string literal");
      this.#at++;
      if (c === '"') return toUSVString(JSON.parse(this.#text.slice(start, this.#at)) as string);
      if (c === "\\") this.#escape();
    }
  }

  #escape(): void {
    const c = this.#text[this.#at];
    if (c === undefined || !'"\\/bfnrtu'.includes(c)) this.#fail("in string escape code");
    this.#at++;
    if (c !== "u") return;
    for (let i = 0; i < 4; i++) {
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? "")) this.#fail("in \\u hexadecimal character escape");
      this.#at++;
    }
  }

  #literal<T extends Json>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++) {
      if (this.#text[this.#at] !== word[i]) this.#fail(`in literal ${word} (expecting '${word[i]}')`);
      this.#at++;
    }
    return value;
  }

  #number(): Json {
    const start = this.#at;
    const negative = this.#skip("-");
    if (!this.#isDigit()) this.#fail(negative ? "in numeric literal" : "looking for beginning of value");
    if (!this.#skip("0")) this.#digits();
    let integer = true;
    if (this.#skip(".")) {
      integer = false;
      if (!this.#isDigit()) this.#fail("after decimal point in numeric literal");
      this.#digits();
    }
    if (this.#skip("e") || this.#skip("E")) {
      integer = false;
      if (!this.#skip("+")) this.#skip("-");
      if (!this.#isDigit()) this.#fail("in exponent of numeric literal");
      this.#digits();
    }
    const literal = this.#text.slice(start, this.#at);
    const number = integer ? integerOf(literal) : Number(literal);
    if (number === Number.POSITIVE_INFINITY || number === Number.NEGATIVE_INFINITY) {
      throw new BodyError(`json: cannot unmarshal number ${literal} into Go value of type float64`);
    }
    return number;
  }

  #digits(): void {
    while (this.#isDigit()) this.#at++;
  }

  #isDigit(): boolean {
    const c = this.#text[this.#at];
    return c !== undefined && c >= "0" && c <= "9";
  }

  #skip(c: string): boolean {
    if (this.#text[this.#at] !== c) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #fail(context: string): never {
    const point = this.#text.codePointAt(this.#at);
    if (point === undefined) throw new BodyError("unexpected end of JSON input");
    throw new BodyError(`invalid character ${quoted(String.fromCodePoint(point))} ${context}`);
  }
}

/** What fits into 64 bits is an integer, what does not is a double. */
function integerOf(literal: string): number | bigint {
  const number = Number(literal);
  if (!Number.isFinite(number)) return number;
  // Integers have no negative zero.
  if (Number.isSafeInteger(number)) return number === 0 ? 0 : number;
  const long = BigInt(literal);
  return BigInt.asIntN(64, long) === long ? long : number;
}

function quoted(c: string): string {
  if (c === "'") return "'\\''";
  return c === '"' ? "'\"'" : `'${JSON.stringify(c).slice(1, -1)}'`;
}
