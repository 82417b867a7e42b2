/**
 * A fast parser for the YAML that generators of manifests write: block mappings and lists, plain, quoted and literal scalars. It gives up on everything
 * else, and on everything that is not clearly right; the caller then uses the full parser. `parse-simple-yaml.test.ts` compares both.
 */
import { PintleError } from "pintle/internal/errors";

/** Resolves a plain scalar that is not clearly a text: a float, a date, a word for a boolean. */
export type ResolveScalar = (text: string) => unknown;

/** Thrown where the text is not simple. Its identity is all that counts. */
const NOT_SIMPLE = new PintleError("PINTLE8011", "the text is not simple");
/** Tabs, carriage returns, other controls, and what only some parsers take for a line break. */
const UNUSUAL = /[^\P{Cc}\n\t]|[\u2028\u2029\ufeff\ufffd]/u;
const RESERVED = new Set(["y", "n", "yes", "no", "on", "off", "true", "false", "null"]);
const KEY = /(?:([A-Za-z_][\w./$-]*)|"([^"\\\n]*)"|'([^'\n]*)') *:(?=[ \n]|$)/y;
const INTEGER = /^(0|[1-9]\d{0,14})$/;
/** No number, word or date has such characters. */
const NO_NUMBER = /[^\w+\-.:~]/;
/** `64Mi`, `10m`, `1.2.3-rc1`: neither hexadecimal, nor with an exponent, nor a float. */
const QUANTITY_OR_VERSION = /^(?:[1-9]\d*[A-DF-Za-df-z][a-z]?|\d+\.\d+\.\d+(?:-[\w.-]+)?)$/;
const TEXT_START = /^[A-Za-z_/(]/;
const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", " ": " ", _: "\u00a0" }),
);
/** A list of simple texts in one line. */
const FLOW_LIST = /^\[ *(?:"[^"\\]*"|'[^']*'|[A-Za-z][\w./-]*)(?: *, *(?:"[^"\\]*"|'[^']*'|[A-Za-z][\w./-]*))* *\]$/;
const FLOW_ITEM = /"[^"]*"|'[^']*'|[A-Za-z][\w./-]*/g;
const MAX_DEPTH = 100;
const MAX_RESOLVED = 60;

/**
 * Parses every document of a text; undefined if the text is not simple. With `isLenient`, the lines of a quoted scalar may have any indent, of spaces and
 * tabs: Go's library accepts that, unlike the full parser.
 */
export function parseSimpleYaml(given: string, resolve: ResolveScalar, isLenient = false): unknown[] | undefined {
  // Both are one line break, everywhere.
  const text = given.includes("\r\n") ? given.replaceAll("\r\n", "\n") : given;
  if (UNUSUAL.test(text) || (!isLenient && text.includes("\t"))) return undefined;
  try {
    return new SimpleYamlParser(text, resolve, isLenient).parseAll();
  } catch (error) {
    if (error === NOT_SIMPLE) return undefined;
    throw error;
  }
}

class SimpleYamlParser {
  readonly #text: string;
  readonly #resolve: ResolveScalar;
  readonly #isLenient: boolean;
  /** Where each line starts, where its content starts, and where it ends without trailing spaces. */
  readonly #starts: number[] = [];
  readonly #contents: number[] = [];
  readonly #ends: number[] = [];
  #line = 0;
  #depth = 0;

  constructor(text: string, resolve: ResolveScalar, isLenient: boolean) {
    this.#isLenient = isLenient;
    this.#text = text;
    this.#resolve = resolve;
    for (let at = 0; at < text.length; ) {
      const newline = text.indexOf("\n", at);
      const lineEnd = newline === -1 ? text.length : newline;
      let content = at;
      while (content < lineEnd && text.charCodeAt(content) === 0x20) content++;
      let end = lineEnd;
      while (end > content && text.charCodeAt(end - 1) === 0x20) end--;
      this.#starts.push(at);
      this.#contents.push(content);
      this.#ends.push(end);
      at = lineEnd + 1;
    }
  }

  parseAll(): unknown[] {
    const documents: unknown[] = [];
    while (this.#skipToContent()) {
      if (this.#isSeparator(this.#line)) this.#line++;
      if (!this.#skipToContent() || this.#isSeparator(this.#line)) throw NOT_SIMPLE;
      documents.push(this.#parseBlock());
      if (this.#skipToContent() && !this.#isSeparator(this.#line)) throw NOT_SIMPLE;
    }
    if (documents.length === 0) throw NOT_SIMPLE;
    return documents;
  }

  /** Moves to the next line with content; false at the end. */
  #skipToContent(): boolean {
    while (this.#line < this.#starts.length) {
      const content = this.#contents[this.#line]!;
      if (content < this.#ends[this.#line]! && this.#text.charCodeAt(content) !== 0x23) break;
      this.#line++;
    }
    if (this.#line >= this.#starts.length) return false;
    if (this.#indent(this.#line) === 0) {
      const start = this.#starts[this.#line]!;
      const isMarker = this.#text.startsWith("---", start) || this.#text.startsWith("...", start) || this.#text.startsWith("%", start);
      if (isMarker && !this.#isSeparator(this.#line)) throw NOT_SIMPLE;
    }
    return true;
  }

  #isSeparator(line: number): boolean {
    return this.#ends[line]! - this.#starts[line]! === 3 && this.#text.startsWith("---", this.#starts[line]);
  }

  #indent(line: number): number {
    return this.#contents[line]! - this.#starts[line]!;
  }

  #isDash(line: number): boolean {
    const content = this.#contents[line]!;
    if (this.#text.charCodeAt(content) !== 0x2d || (this.#indent(line) === 0 && this.#isSeparator(line))) return false;
    return content + 1 === this.#ends[line] || this.#text.charCodeAt(content + 1) === 0x20;
  }

  /** Parses the mapping or list that begins at the current line. */
  #parseBlock(): unknown {
    if (++this.#depth > MAX_DEPTH) throw NOT_SIMPLE;
    const value = this.#isDash(this.#line) ? this.#parseList() : this.#parseMapping();
    this.#depth--;
    return value;
  }

  #parseMapping(): Record<string, unknown> {
    const indent = this.#indent(this.#line);
    const result: Record<string, unknown> = {};
    while (this.#skipToContent()) {
      const line = this.#line;
      const found = this.#indent(line);
      if (found < indent || (found === 0 && this.#isSeparator(line))) break;
      if (found > indent || this.#isDash(line)) throw NOT_SIMPLE;
      const key = this.#readKey(line);
      result[key.name] = this.#parseValue(key.end, indent, true);
    }
    return result;
  }

  #readKey(line: number): { readonly name: string; readonly end: number } {
    KEY.lastIndex = this.#contents[line]!;
    const found = KEY.exec(this.#text);
    if (found === null || KEY.lastIndex > this.#ends[line]!) throw NOT_SIMPLE;
    const [, plain] = found;
    const name = plain ?? found[2] ?? found[3]!;
    if (name === "__proto__" || name === "<<" || (plain !== undefined && RESERVED.has(plain.toLowerCase()))) throw NOT_SIMPLE;
    return { name, end: KEY.lastIndex };
  }

  #parseList(): unknown[] {
    const indent = this.#indent(this.#line);
    const result: unknown[] = [];
    while (this.#skipToContent()) {
      const line = this.#line;
      const found = this.#indent(line);
      if (found < indent || (found === 0 && this.#isSeparator(line))) break;
      if (found > indent) throw NOT_SIMPLE;
      // The keys of a mapping whose value this list is may have the same indent.
      if (!this.#isDash(line)) break;
      const dash = this.#contents[line]!;
      let content = dash + 1;
      while (content < this.#ends[line]! && this.#text.charCodeAt(content) === 0x20) content++;
      if (content < this.#ends[line]! && this.#text.charCodeAt(content) !== 0x23 && this.#startsBlock(line, content)) {
        // What follows the dash is a block with the indent of its column.
        this.#contents[line] = content;
        result.push(this.#parseBlock());
      } else result.push(this.#parseValue(dash + 1, indent, false));
    }
    return result;
  }

  /** Whether a list or a mapping begins in the middle of a line. */
  #startsBlock(line: number, content: number): boolean {
    const isDash =
      this.#text.charCodeAt(content) === 0x2d && (content + 1 === this.#ends[line] || this.#text.charCodeAt(content + 1) === 0x20);
    if (isDash) return true;
    KEY.lastIndex = content;
    return KEY.test(this.#text) && KEY.lastIndex <= this.#ends[line]!;
  }

  /** Parses what follows a key or a dash in the current line, or in the lines after it. */
  #parseValue(from: number, indent: number, isInMapping: boolean): unknown {
    const line = this.#line;
    const end = this.#ends[line]!;
    let at = from;
    while (at < end && this.#text.charCodeAt(at) === 0x20) at++;
    if (at >= end || (this.#text.charCodeAt(at) === 0x23 && at > from)) return this.#parseNested(indent, isInMapping);
    switch (this.#text[at]) {
      case "|":
      case ">":
        return this.#parseLiteral(this.#text.slice(at, end), indent);
      case '"':
      case "'":
        return this.#parseQuoted(at, indent);
      case "[":
      case "{":
        return this.#parseFlow(this.#text.slice(at, end));
      default:
        return this.#parsePlain(at, indent);
    }
  }

  #parseNested(indent: number, isInMapping: boolean): unknown {
    this.#line++;
    if (!this.#skipToContent()) return null;
    const found = this.#indent(this.#line);
    if (found > indent) return this.#parseBlock();
    const isList = isInMapping && found === indent && this.#isDash(this.#line);
    return isList ? this.#parseBlock() : null;
  }

  #parseFlow(text: string): unknown {
    // A continuation has a deeper indent, which blocks refuse.
    this.#line++;
    if (text === "[]") return [];
    if (text === "{}") return {};
    if (!FLOW_LIST.test(text)) throw NOT_SIMPLE;
    return Array.from(text.matchAll(FLOW_ITEM), ([item]) => (/^["']/.test(item) ? item.slice(1, -1) : this.#resolvePlain(item)));
  }

  #parseLiteral(header: string, indent: number): string {
    if (!["|", "|-", "|+", ">", ">-", ">+"].includes(header)) throw NOT_SIMPLE;
    const isFolded = header.startsWith(">");
    let line = this.#line + 1;
    const count = this.#starts.length;
    while (line < count && this.#contents[line] === this.#ends[line]) line++;
    if (line >= count) throw NOT_SIMPLE;
    const inner = this.#indent(line);
    if (inner <= indent || inner === 0) throw NOT_SIMPLE;
    const lines: string[] = [];
    for (line = this.#line + 1; line < count; line++) {
      const start = this.#starts[line]!;
      const next = line + 1 < count ? this.#starts[line + 1]! - 1 : this.#text.length;
      const lineEnd = this.#text.charCodeAt(next - 1) === 0x0a && line + 1 === count ? next - 1 : next;
      const isBlank = this.#contents[line] === this.#ends[line];
      if (isBlank) {
        // Spaces that belong to the text, or are too many before it.
        if (lineEnd - start > inner) throw NOT_SIMPLE;
        lines.push("");
        continue;
      }
      if (this.#indent(line) < inner) break;
      if (this.#isLenient && this.#text.slice(start, lineEnd).includes("\t")) throw NOT_SIMPLE;
      lines.push(this.#text.slice(start + inner, lineEnd));
    }
    if (line < count && this.#indent(line) > indent) throw NOT_SIMPLE;
    // Without a newline at the end of the text, parsers differ.
    if (line >= count && !this.#text.endsWith("\n")) throw NOT_SIMPLE;
    this.#line = line;
    let end = header.endsWith("-") ? "" : "\n";
    for (; lines.at(-1) === ""; lines.pop()) if (header.endsWith("+")) end += "\n";
    if (!isFolded) return `${lines.join("\n")}${end}`;
    if (lines[0] === "") throw NOT_SIMPLE;
    return `${foldBlock(lines)}${end}`;
  }

  /** Reads lines until the closing quote, and folds them. */
  #parseQuoted(at: number, indent: number): string {
    const quote = this.#text[at]!;
    const close = this.#findClosing(at + 1, quote);
    const first = this.#line;
    while (this.#line + 1 < this.#starts.length && this.#starts[this.#line + 1]! <= close) this.#line++;
    const rest = this.#text.slice(close + 1, this.#ends[this.#line]);
    if (rest !== "" && !/^ +#/.test(rest)) throw NOT_SIMPLE;
    const folder = new LineFolder();
    for (let line = first; line <= this.#line; line++) {
      const isTooFarLeft = line > first && this.#contents[line] !== this.#ends[line] && this.#indent(line) <= indent;
      if (isTooFarLeft && !this.#isLenient) throw NOT_SIMPLE;
      const start = line === first ? at + 1 : this.#contents[line]!;
      const isLast = line === this.#line;
      let part = this.#text.slice(start, isLast ? close : this.#ends[line]);
      if (this.#isLenient && line > first) part = part.replace(/^[\t ]+/, "");
      if (part.includes("\t")) throw NOT_SIMPLE;
      if (line > first && this.#indent(line) === 0 && /^(---|\.\.\.)/.test(part)) throw NOT_SIMPLE;
      const isEscaped = quote === '"' && !isLast && countBackslashes(part) % 2 === 1;
      // An escaped space, not an escaped line break.
      if (isEscaped && this.#text[this.#ends[line]!] !== "\n") throw NOT_SIMPLE;
      folder.add(isEscaped ? part.slice(0, -1) : part, isLast, isEscaped);
    }
    this.#line++;
    const folded = folder.text;
    if (quote === "'") return folded.replaceAll("''", "'");
    if (!folded.includes("\\")) return folded;
    return folded.replaceAll(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])/g, (_, sequence: string) => {
      if (sequence.length > 1) return String.fromCharCode(Number.parseInt(sequence.slice(1), 16));
      const char = ESCAPES.get(sequence);
      if (char === undefined) throw NOT_SIMPLE;
      return char;
    });
  }

  #findClosing(from: number, quote: string): number {
    for (let at = from; ; at++) {
      const close = this.#text.indexOf(quote, at);
      if (close === -1) throw NOT_SIMPLE;
      if (quote === "'") {
        if (this.#text[close + 1] !== "'") return close;
        at = close + 1;
        continue;
      }
      let backslashes = 0;
      while (this.#text[close - 1 - backslashes] === "\\") backslashes++;
      if (backslashes % 2 === 0) return close;
      at = close;
    }
  }

  #parsePlain(at: number, indent: number): unknown {
    const whole = this.#text.slice(at, this.#ends[this.#line]);
    const comment = whole.indexOf(" #");
    const first = comment === -1 ? whole : whole.slice(0, comment).trimEnd();
    assertPlain(first);
    if (/^[,\]}#&*!>%@`?:=]|^<<|^-(?: |$)/.test(first)) throw NOT_SIMPLE;
    const parts = [first];
    this.#line++;
    // A comment ends the scalar: blocks refuse lines with a deeper indent.
    if (comment !== -1) return this.#resolvePlain(first);
    let blanks = 0;
    let last = this.#line;
    for (let line = this.#line; line < this.#starts.length; line++) {
      if (this.#contents[line] === this.#ends[line]) {
        blanks++;
        continue;
      }
      if (this.#indent(line) <= indent) break;
      const part = this.#text.slice(this.#contents[line], this.#ends[line]);
      assertPlain(part);
      if (part.startsWith("#")) throw NOT_SIMPLE;
      for (; blanks > 0; blanks--) parts.push("");
      parts.push(part);
      last = line + 1;
    }
    this.#line = last;
    if (parts.length > 1) return foldLines(parts);
    return this.#resolvePlain(first);
  }

  #resolvePlain(text: string): unknown {
    if (text === "true") return true;
    if (text === "false") return false;
    if (INTEGER.test(text)) return Number(text);
    if (NO_NUMBER.test(text) || QUANTITY_OR_VERSION.test(text)) return text;
    if (TEXT_START.test(text) && !(text.length <= 5 && RESERVED.has(text.toLowerCase()))) return text;
    // Alone, the markers of documents would be some.
    if (text.length > MAX_RESOLVED || text.startsWith("---") || text.startsWith("...")) throw NOT_SIMPLE;
    const value = this.#resolve(text);
    if (typeof value === "object" && value !== null) throw NOT_SIMPLE;
    return value;
  }
}

function countBackslashes(text: string): number {
  let count = 0;
  while (text[text.length - 1 - count] === "\\") count++;
  return count;
}

/** Joins the lines of a quoted scalar: by a space, by nothing after an escaped break, and by line breaks for empty lines. */
class LineFolder {
  text = "";
  #joint = "";

  add(part: string, isLast: boolean, isEscaped: boolean): void {
    const isFirst = this.#joint === "";
    if (part === "" && !isFirst && !isLast && !isEscaped) {
      // Parsers differ.
      if (this.#joint === NOTHING) throw NOT_SIMPLE;
      this.#joint = this.#joint === " " ? "\n" : `${this.#joint}\n`;
      return;
    }
    this.text += (isFirst || this.#joint === NOTHING ? "" : this.#joint) + part;
    this.#joint = isEscaped ? NOTHING : " ";
  }
}
/** The joint after an escaped line break. */
const NOTHING = "nothing";

/** Text of a plain scalar has no mapping, comment or flow in it. */
function assertPlain(text: string): void {
  if (text.includes("\t") || text.includes(": ") || text.includes(" #") || text.endsWith(":")) throw NOT_SIMPLE;
}

/** Joins the lines of a folded block. Lines that are indented more keep the breaks around them. */
function foldBlock(lines: readonly string[]): string {
  let result = lines[0]!;
  let isIndented = result.startsWith(" ");
  let breaks = 0;
  for (const line of lines.slice(1)) {
    if (line === "") {
      breaks++;
      continue;
    }
    const isNextIndented = line.startsWith(" ");
    if (isIndented || isNextIndented) breaks++;
    result += (breaks === 0 ? " " : "\n".repeat(breaks)) + line;
    isIndented = isNextIndented;
    breaks = 0;
  }
  return result;
}

/** Joins lines by spaces; empty lines are line breaks. */
function foldLines(parts: readonly string[]): string {
  let result = parts[0]!;
  let breaks = 0;
  for (const part of parts.slice(1, -1)) {
    if (part === "") {
      breaks++;
      continue;
    }
    result += (breaks === 0 ? " " : "\n".repeat(breaks)) + part;
    breaks = 0;
  }
  return parts.length === 1 ? result : result + (breaks === 0 ? " " : "\n".repeat(breaks)) + parts.at(-1)!;
}
