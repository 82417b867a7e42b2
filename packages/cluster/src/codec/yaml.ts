import { setOwnProperty } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import type { CST, Document, LineCounter, Node, Pair, Scalar, Tags, YAMLMap } from "yaml";
import { eventLoopTurns, Slices, type Turns } from "../turns/index.ts";
import { BodyDecodeError, TooManyValuesError } from "./body-error.ts";
import { type DecodedText, decodeJson } from "./json/decode.ts";
import { LONG_TEXT, resolveDoubleQuoted } from "./yaml-quoted.ts";

type YamlLibrary = typeof import("yaml");

/** YAML 1.1 tags that Go's library does not support, and base-60 numbers. */
const UNKNOWN_TO_GO = /:(timestamp|binary|omap|pairs|set|(int|float) TIME)\s*$/;
/**
 * go-yaml allows 10,000. The composer is recursive, and V8 ends the process if a regular expression is compiled at the end of the stack, which
 * is reached at about 900.
 */
const MAX_DEPTH = 300;
/** The tokens of a document. Composing them cannot be interrupted, so this bounds how long other requests wait. */
const MAX_TOKENS = 300_000;
/** Lines of a scalar are no tokens. */
const MAX_LINES = 300_000;
const TOKENS_PER_CHECK = 500;

/**
 * Decodes YAML as Kubernetes does: version 1.1 without dates and base-60 numbers, keys converted to strings, the first document only.
 * Takes linear time, and lets other requests run meanwhile. Most YAML bodies are JSON text (kubectl's server-side apply); the YAML library is
 * not loaded for these.
 */
export async function decodeYaml(text: string, maxValues = Number.POSITIVE_INFINITY, turns = eventLoopTurns.begin()): Promise<DecodedText> {
  const json = /^\s*\{/.test(text) ? tryDecodeJson(text, maxValues) : undefined;
  if (json?.strict.length === 0) return json;
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const longTexts: LongTexts = new Map();
  const document = await composeFirstDocument(yaml, text, { lines, turns, longTexts });
  if (document === undefined) return { value: null, strict: [] };
  const problem = document.errors[0];
  if (problem !== undefined) {
    const line = problem.linePos?.[0].line ?? lines.linePos(problem.pos[0]).line;
    throw new BodyDecodeError(`yaml: line ${Math.max(line, 1)}: ${problem.code.toLowerCase().replaceAll("_", " ")}`);
  }
  const reader = new NodeReader(yaml, longTexts);
  const { value } = reader.read(document.contents as Node | null);
  return { value, strict: formatDuplicates(reader.repeated, (at) => lines.linePos(at).line) };
}

/** The values of long double-quoted scalars, by where these start. */
type LongTexts = Map<number, string>;

interface Composition {
  readonly lines: LineCounter;
  readonly turns: Turns;
  readonly longTexts: LongTexts;
}

/** Reads tokens up to the end of the first document. */
async function composeFirstDocument(yaml: YamlLibrary, text: string, composition: Composition): Promise<Document | undefined> {
  const { lines, turns, longTexts } = composition;
  const tokens: CST.Token[] = [];
  const parser = new yaml.Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  let hasLongText = false;
  const slices = new Slices(turns);
  for (const lexeme of new yaml.Lexer().lex(text)) {
    // The composer takes quadratic time for comments in front of a document.
    for (const token of parser.next(lexeme)) if (token.type !== "comment") tokens.push(token);
    if (tokens.at(-1)?.type === "document") break;
    if (parser.stack.length > MAX_DEPTH) throw new BodyDecodeError(`yaml: line ${lines.lineStarts.length}: exceeded max depth`);
    if (lexeme.length > LONG_TEXT && lexeme.startsWith('"')) hasLongText = true;
    if (++count > MAX_TOKENS || lines.lineStarts.length > MAX_LINES)
      throw new BodyDecodeError("yaml: document is too long: send it as JSON");
    if (count % TOKENS_PER_CHECK === 0 && slices.isOver()) await slices.next();
  }
  if (tokens.at(-1)?.type !== "document") for (const token of parser.end()) tokens.push(token);
  if (hasLongText) {
    for (const scalar of findLongTexts(tokens.at(-1))) {
      const pieces: string[] = [];
      for (const piece of resolveDoubleQuoted(yaml, scalar.source, (at) => lines.linePos(scalar.offset + at).line)) {
        pieces.push(piece);
        if (slices.isOver()) await slices.next();
      }
      longTexts.set(scalar.offset, pieces.join(""));
      // As long as before: what follows is located by its end.
      scalar.source = `"${" ".repeat(scalar.source.length - 2)}"`;
    }
  }
  const composer = new yaml.Composer({
    version: "1.1",
    intAsBigInt: true,
    uniqueKeys: false,
    logLevel: "silent",
    customTags: (tags: Tags) => tags.filter((tag) => typeof tag !== "object" || !UNKNOWN_TO_GO.test(`${tag.tag} ${tag.format ?? ""}`)),
  });
  for (const document of composer.compose(tokens)) return document;
  return undefined;
}

/** Finds the long double-quoted scalars in a document, which is as deep as `MAX_DEPTH` allows. */
function* findLongTexts(token: CST.Token | null | undefined): Generator<CST.FlowScalar> {
  if (token === null || token === undefined) return;
  if (token.type === "double-quoted-scalar") {
    if (token.source.length > LONG_TEXT && token.source.endsWith('"')) yield token;
  } else if ("items" in token) {
    // Keys are short: others are errors.
    for (const { value } of token.items) yield* findLongTexts(value);
  } else if ("value" in token) yield* findLongTexts(token.value);
}

/** A decoded node, and what decoding it again for an alias would cost. */
interface ReadNode {
  readonly value: Json;
  readonly nodes: number;
  readonly characters: number;
}

/** go-yaml's limits: small documents may consist of aliases, large ones hardly. */
const ALIASES_ALWAYS_ALLOWED = 100;
const NODES_ALWAYS_ALLOWED = 1000;
const LOW_RATIO_NODES = 4_000_000;
const HIGH_RATIO_NODES = 400_000;
/** The text that aliases may repeat: go-yaml counts nodes only. */
const MAX_ALIASED_CHARACTERS = 4 * 1024 * 1024;

function getAllowedAliasRatio(nodes: number): number {
  if (nodes <= HIGH_RATIO_NODES) return 0.99;
  if (nodes >= LOW_RATIO_NODES) return 0.1;
  return 0.99 - (0.89 * (nodes - HIGH_RATIO_NODES)) / (LOW_RATIO_NODES - HIGH_RATIO_NODES);
}

/** Converts nodes to JSON values. An alias shares the value of its anchor, and counts as if it were decoded again. */
class NodeReader {
  /** Keys that appear more than once in a map. */
  readonly repeated: { readonly at: number; readonly key: unknown }[] = [];
  readonly #yaml: YamlLibrary;
  readonly #longTexts: LongTexts;
  /** The last node with each anchor; undefined while it is read. */
  readonly #anchors = new Map<string, ReadNode | undefined>();
  #nodes = 0;
  #aliased = 0;
  #aliasedCharacters = 0;

  constructor(yaml: YamlLibrary, longTexts: LongTexts) {
    this.#yaml = yaml;
    this.#longTexts = longTexts;
  }

  read(node: Node | null): ReadNode {
    if (this.#yaml.isAlias(node)) return this.#readAlias(node.source);
    const anchor = (node as { readonly anchor?: string } | null)?.anchor;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    this.#nodes++;
    const read = this.#readContent(node);
    if (anchor !== undefined) this.#anchors.set(anchor, read);
    return read;
  }

  #readContent(node: Node | null): ReadNode {
    if (this.#yaml.isMap(node)) return this.#readMap(node);
    if (!this.#yaml.isSeq(node)) return readScalar(this.#getScalarValue(node as Scalar | null));
    const value: Json[] = [];
    let [nodes, characters] = [1, 0];
    for (const item of node.items) {
      const read = this.read(item as Node | null);
      value.push(read.value);
      nodes += read.nodes;
      characters += read.characters;
    }
    return { value, nodes, characters };
  }

  #getScalarValue(node: Scalar | null): unknown {
    const longText = this.#longTexts.size === 0 ? undefined : this.#longTexts.get(node?.range?.[0] ?? -1);
    return longText !== undefined && node?.type === "QUOTE_DOUBLE" ? longText : node?.value;
  }

  #readAlias(anchor: string): ReadNode {
    if (!this.#anchors.has(anchor)) throw new BodyDecodeError(`yaml: unknown anchor '${anchor}' referenced`);
    const read = this.#anchors.get(anchor);
    if (read === undefined) throw new BodyDecodeError(`yaml: anchor '${anchor}' value contains itself`);
    this.#nodes += read.nodes;
    this.#aliased += read.nodes;
    this.#aliasedCharacters += read.characters;
    const isExcessive =
      this.#aliased > ALIASES_ALWAYS_ALLOWED &&
      this.#nodes > NODES_ALWAYS_ALLOWED &&
      this.#aliased / this.#nodes > getAllowedAliasRatio(this.#nodes);
    if (isExcessive || this.#aliasedCharacters > MAX_ALIASED_CHARACTERS)
      throw new BodyDecodeError("yaml: document contains excessive aliasing");
    return read;
  }

  #readMap({ items }: YAMLMap): ReadNode {
    const fields = new Map<string, Json>();
    const seen = new Set<unknown>();
    const merged: ReadNode[] = [];
    let [nodes, characters] = [1, 0];
    for (const { key, value } of items as readonly Pair<Node, Node | null>[]) {
      if (this.#yaml.isCollection(key)) throw new BodyDecodeError(`yaml: invalid map key: ${formatInvalidKey(this.read(key).value)}`);
      if (isMergeKey(key as Scalar)) {
        merged.push(...this.#readMergeSources(value));
        continue;
      }
      // A map is read in the order of the text: an anchor on a key may be used by its value.
      const name = this.read(key).value;
      if (seen.has(name)) this.repeated.push({ at: value?.range?.[0] ?? 0, key: name });
      seen.add(name);
      const read = this.read(value);
      const field = name === null ? "" : String(name);
      fields.set(field, read.value);
      nodes += 1 + read.nodes;
      characters += field.length + read.characters;
    }
    for (const source of merged) {
      nodes += source.nodes;
      characters += source.characters;
      for (const [field, value] of Object.entries(source.value as object)) if (!fields.has(field)) fields.set(field, value as Json);
    }
    const object: Record<string, Json> = {};
    for (const [field, value] of fields) setOwnProperty(object, field, value);
    return { value: object, nodes, characters };
  }

  /** Reads the maps of a merge key; the first of several that has a field wins. */
  #readMergeSources(node: Node | null): readonly ReadNode[] {
    const sources = this.#yaml.isSeq(node) ? node.items.map((item) => this.read(item as Node)) : [this.read(node)];
    for (const { value } of sources) {
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw new BodyDecodeError("yaml: map merge requires map or sequence of maps as the value");
    }
    return sources;
  }
}

function isMergeKey({ value, type }: Scalar): boolean {
  return typeof value === "symbol" ? value.description === "<<" : value === "<<" && type === "PLAIN";
}

/** Integers that fit become numbers, 64-bit ones stay bigint, longer ones become doubles. */
function readScalar(value: unknown): ReadNode {
  const characters = typeof value === "string" ? value.length : 0;
  if (typeof value !== "bigint") return { value: (value ?? null) as Json, nodes: 1, characters };
  const number = Number(value);
  return { value: Number.isSafeInteger(number) || BigInt.asIntN(64, value) !== value ? number : value, nodes: 1, characters };
}

function formatInvalidKey(key: Json): string {
  if (Array.isArray(key)) return `[]interface {}{${key.map((item) => JSON.stringify(item)).join(", ")}}`;
  return `map[interface {}]interface {}{${Object.entries(key as object)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(", ")}}`;
}

function formatDuplicates(
  repeated: readonly { readonly at: number; readonly key: unknown }[],
  lineOf: (at: number) => number,
): readonly string[] {
  if (repeated.length === 0) return [];
  const texts = [...repeated]
    .sort((a, b) => a.at - b.at)
    .map(({ at, key }) => `\n  line ${lineOf(at)}: key ${typeof key === "string" ? JSON.stringify(key) : String(key)} already set in map`);
  return [`yaml: unmarshal errors:${texts.join("")}`];
}

function tryDecodeJson(text: string, maxValues: number): DecodedText | undefined {
  try {
    return decodeJson(text, maxValues);
  } catch (error) {
    if (error instanceof TooManyValuesError) throw error;
    return undefined;
  }
}
