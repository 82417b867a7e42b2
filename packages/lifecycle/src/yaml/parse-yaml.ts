import { PintleError } from "pintle/internal/errors";
import { type Document, Lexer, Parser, parseAllDocuments, parseDocument, type Tags, visit } from "yaml";
import { parseSimpleYaml, type ResolveScalar } from "./parse-simple-yaml.ts";

/** YAML 1.1 tags that Go's library does not resolve, and base-60 numbers: their texts stay strings. */
const UNKNOWN_TO_GO = /:(timestamp|binary|omap|pairs|set|(int|float) TIME)\s*$/;
/** The library's own expression takes `E810` for a number. */
const EXPONENT = /^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)[eE][-+]?[0-9]+$/;
const OPTIONS = {
  version: "1.1",
  uniqueKeys: false,
  strict: false,
  // An excerpt for every error would take quadratic time.
  prettyErrors: false,
  logLevel: "error",
  customTags: (tags: Tags) =>
    tags
      .filter((tag) => typeof tag !== "object" || !UNKNOWN_TO_GO.test(`${tag.tag} ${tag.format ?? ""}`))
      .map((tag) => (typeof tag === "object" && tag.format === "EXP" ? { ...tag, test: EXPONENT } : tag)) as Tags,
} as const;
const MAX_ALIASES = 100;
/** The library composes by recursion, and V8 ends the process where a regular expression is compiled at the end of the stack. */
const MAX_DEPTH = 250;

/** Parses one YAML document as the Kubernetes libraries do: YAML 1.1, the last of several equal keys wins, no document is null. */
export function parseYamlDocument(text: string): unknown {
  const simple = parseSimpleYaml(text, createScalarResolver());
  if (simple?.length === 1) return simple[0];
  try {
    return parseFullDocument(text);
  } catch (error) {
    const lenient = parseSimpleYaml(text, createScalarResolver(), true);
    if (lenient?.length === 1) return lenient[0];
    throw error;
  }
}

/** Parses one document with the library alone. */
export function parseFullDocument(text: string): unknown {
  checkDepth(text);
  const document = parseDocument(text, OPTIONS);
  return toValue(hasTabIndent(document, text) ? acceptTabs(document, text) : document, text);
}

/** Parses every document of a file that contains something. */
export function parseYamlDocuments(text: string): unknown[] {
  const simple = parseSimpleYaml(text, createScalarResolver());
  if (simple !== undefined) return simple;
  try {
    return parseFullDocuments(text);
  } catch (error) {
    const lenient = parseSimpleYaml(text, createScalarResolver(), true);
    if (lenient === undefined) throw error;
    return lenient;
  }
}

/** Parses every document with the library alone. */
export function parseFullDocuments(text: string): unknown[] {
  checkDepth(text);
  const parsed = parseAllDocuments(text, OPTIONS);
  if (!Array.isArray(parsed)) return [];
  const isTabIndent = parsed.some((document) => hasTabIndent(document as Document, text));
  const replaced = isTabIndent ? replaceTabs(text) : undefined;
  const withSpaces = replaced === undefined ? [] : parseAllDocuments(replaced.text, OPTIONS);
  const documents =
    Array.isArray(withSpaces) && replaced !== undefined && areInQuotes(withSpaces as Document[], replaced.places) ? withSpaces : parsed;
  return documents.map((document) => toValue(document as Document, text)).filter((value) => value !== null && value !== undefined);
}

function checkDepth(text: string): void {
  if (!mayBeDeep(text)) return;
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > MAX_DEPTH) throw new PintleError("PINTLE8011", `exceeded max depth of ${MAX_DEPTH}`);
  }
}

/** Each level takes a bracket, or a column of a line. */
function mayBeDeep(text: string): boolean {
  let [brackets, column] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === OPEN_BRACKET || char === OPEN_BRACE) brackets++;
    if (char === NEWLINE) column = 0;
    else if (column >= 0 && BLOCK_INDICATORS.includes(char)) column++;
    else column = -1;
    if (brackets + Math.max(column, 0) > MAX_DEPTH / 2) return true;
  }
  return false;
}

const [OPEN_BRACKET, OPEN_BRACE, NEWLINE] = [0x5b, 0x7b, 0x0a];
/** What may stand in front of a value on its line. */
const BLOCK_INDICATORS = [..." \t-?:"].map((char) => char.charCodeAt(0));

/** Resolves scalars; most of those that need it occur again and again. */
function createScalarResolver(): ResolveScalar {
  const known = new Map<string, unknown>();
  return (text) => {
    if (!known.has(text)) known.set(text, parseFullDocument(text));
    return known.get(text);
  };
}

/** Unlike this library, Go's accepts tabs in front of the continuation lines of a quoted scalar, where spaces mean the same. */
function hasTabIndent(document: Document, text: string): boolean {
  return document.errors.some(({ code }) => code === "MISSING_CHAR" || code === "TAB_AS_INDENT") && /^ *\t/m.test(text);
}

/** Parses with spaces instead of tabs; returns the document with its errors where the tabs are not inside of quotes. */
function acceptTabs(document: Document, text: string): Document {
  const { text: spaced, places } = replaceTabs(text);
  const parsed = parseDocument(spaced, OPTIONS) as Document;
  return areInQuotes([parsed], places) ? parsed : document;
}

/** Replaces tabs at the beginning of lines, and returns where these lines are afterwards. */
function replaceTabs(text: string): { readonly text: string; readonly places: readonly number[] } {
  const places: number[] = [];
  let added = 0;
  const replaced = text.replaceAll(/^ *\t[ \t]*/gm, (indent, at: number) => {
    const spaces = indent.replaceAll("\t", "        ");
    places.push(at + added);
    added += spaces.length - indent.length;
    return spaces;
  });
  return { text: replaced, places };
}

function areInQuotes(documents: readonly Document[], places: readonly number[]): boolean {
  const ranges: (readonly [number, number])[] = [];
  for (const document of documents) {
    visit(document, {
      Scalar(_, { type, range }) {
        if ((type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE") && range) ranges.push([range[0], range[1]]);
      },
    });
  }
  return places.every((place) => ranges.some(([start, end]) => start < place && place < end));
}

/** `text` is where the document was parsed from. */
function toValue(document: Document, text: string): unknown {
  const [error] = document.errors;
  if (error !== undefined) {
    const before = text.slice(0, error.pos[0]);
    const line = before.split("\n").length;
    const column = before.length - before.lastIndexOf("\n");
    throw new PintleError("PINTLE8011", `${error.message} at line ${line}, column ${column}`, { cause: error });
  }
  return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
}
