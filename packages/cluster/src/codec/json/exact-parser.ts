import { toUSVString } from "node:util";
import type { Json } from "pintle/kinds";
import { BodyDecodeError } from "../body-error.ts";
import type { DecodedText } from "./decode.ts";

/** Go's decoder reports no more strict decoding errors than this. */
export const MAX_STRICT_ERRORS = 100;

/** Parses JSON exactly: duplicate fields by path, integers with all digits, errors with Go's text. Slower than `JSON.parse`. */
export function parseJsonExactly(text: string): DecodedText {
  const parser = new ExactJsonParser(text);
  const value = parser.document();
  return {
    value,
    strict: [...parser.duplicateFields].slice(0, MAX_STRICT_ERRORS).map((path) => `duplicate field ${JSON.stringify(path)}`),
  };
}

/**
 * Calls `visit` for every field of a valid JSON text in the order of the text, with its path and whether an earlier one has the same path, until
 * it returns true.
 */
export function visitJsonFields(text: string, visit: (path: string, isDuplicate: boolean) => boolean): void {
  try {
    new ExactJsonParser(text, visit).document();
  } catch (error) {
    if (error !== VISIT_ENDED) throw error;
  }
}

const VISIT_ENDED = new Error("the visitor has seen enough");

class ExactJsonParser {
  readonly duplicateFields = new Set<string>();
  readonly #text: string;
  readonly #visit: ((path: string, isDuplicate: boolean) => boolean) | undefined;
  #at = 0;

  constructor(text: string, visit?: (path: string, isDuplicate: boolean) => boolean) {
    this.#text = text;
    this.#visit = visit;
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
      const isDuplicate = Object.hasOwn(object, key);
      if (isDuplicate) this.duplicateFields.add(full);
      if (this.#visit?.(full, isDuplicate) === true) throw VISIT_ENDED;
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
    const number = integer ? parseInteger(literal) : Number(literal);
    if (number === Number.POSITIVE_INFINITY || number === Number.NEGATIVE_INFINITY) {
      throw new BodyDecodeError(`json: cannot unmarshal number ${literal} into Go value of type float64`);
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
    if (point === undefined) throw new BodyDecodeError("unexpected end of JSON input");
    throw new BodyDecodeError(`invalid character ${quoteCharacter(String.fromCodePoint(point))} ${context}`);
  }
}

/** Integers that fit into 64 bits stay exact; larger ones become doubles. */
function parseInteger(literal: string): number | bigint {
  const number = Number(literal);
  if (!Number.isFinite(number)) return number;
  // Integers have no negative zero.
  if (Number.isSafeInteger(number)) return number === 0 ? 0 : number;
  const long = BigInt(literal);
  return BigInt.asIntN(64, long) === long ? long : number;
}

function quoteCharacter(c: string): string {
  if (c === "'") return "'\\''";
  return c === '"' ? "'\"'" : `'${JSON.stringify(c).slice(1, -1)}'`;
}
