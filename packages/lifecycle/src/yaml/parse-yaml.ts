import { type Document, parseAllDocuments, parseDocument, type Tags, visit } from "yaml";
import { parseSimpleYaml, type ResolveScalar } from "./parse-simple-yaml.ts";

/** YAML 1.1 tags that Go's library does not resolve, and base-60 numbers: their texts stay strings. */
const UNKNOWN_TO_GO = /:(timestamp|binary|omap|pairs|set|(int|float) TIME)\s*$/;
/** The library's own expression takes `E810` for a number. */
const EXPONENT = /^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)[eE][-+]?[0-9]+$/;
const OPTIONS = {
  version: "1.1",
  uniqueKeys: false,
  strict: false,
  prettyErrors: true,
  logLevel: "error",
  customTags: (tags: Tags) =>
    tags
      .filter((tag) => typeof tag !== "object" || !UNKNOWN_TO_GO.test(`${tag.tag} ${tag.format ?? ""}`))
      .map((tag) => (typeof tag === "object" && tag.format === "EXP" ? { ...tag, test: EXPONENT } : tag)) as Tags,
} as const;
const MAX_ALIASES = 100;

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
  const document = parseDocument(text, OPTIONS);
  return toValue(hasTabIndent(document, text) ? acceptTabs(document, text) : document);
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
  const parsed = parseAllDocuments(text, OPTIONS);
  if (!Array.isArray(parsed)) return [];
  const isTabIndent = parsed.some((document) => hasTabIndent(document as Document, text));
  const replaced = isTabIndent ? replaceTabs(text) : undefined;
  const withSpaces = replaced === undefined ? [] : parseAllDocuments(replaced.text, OPTIONS);
  const documents =
    Array.isArray(withSpaces) && replaced !== undefined && areInQuotes(withSpaces as Document[], replaced.places) ? withSpaces : parsed;
  return documents.map((document) => toValue(document as Document)).filter((value) => value !== null && value !== undefined);
}

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

function toValue(document: Document): unknown {
  const [error] = document.errors;
  if (error !== undefined) throw error;
  return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
}
