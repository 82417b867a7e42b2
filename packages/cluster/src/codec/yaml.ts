import type { Json } from "pintle/kinds";
import type { Document, Tags } from "yaml";
import { BodyDecodeError } from "./body-error.ts";
import { type DecodedText, decodeJson } from "./json/decode.ts";

/** YAML 1.1 tags that Go's library does not support, and base-60 numbers. */
const UNKNOWN_TO_GO = /:(timestamp|binary|omap|pairs|set|(int|float) TIME)\s*$/;

/**
 * Decodes YAML as Kubernetes does: version 1.1 without dates and base-60 numbers, keys converted to strings, the first document only.
 * Most YAML bodies are JSON text (kubectl's server-side apply); the YAML library is not loaded for these.
 */
export async function decodeYaml(text: string): Promise<DecodedText> {
  const json = /^\s*\{/.test(text) ? tryDecodeJson(text) : undefined;
  if (json?.strict.length === 0) return json;
  const { isCollection, LineCounter, parseAllDocuments, visit } = await import("yaml");
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.1",
    intAsBigInt: true,
    uniqueKeys: false,
    logLevel: "silent",
    lineCounter: lines,
    customTags: (tags: Tags) => tags.filter((tag) => typeof tag !== "object" || !UNKNOWN_TO_GO.test(`${tag.tag} ${tag.format ?? ""}`)),
  });
  const document = documents[0] as Document | undefined;
  if (document === undefined) return { value: null, strict: [] };
  const problem = document.errors[0];
  if (problem !== undefined)
    throw new BodyDecodeError(`yaml: line ${problem.linePos?.[0].line ?? 1}: ${problem.code.toLowerCase().replaceAll("_", " ")}`);
  const repeated: { readonly at: number; readonly key: unknown }[] = [];
  visit(document, {
    Alias(_, alias) {
      const target = alias.resolve(document);
      if (target === undefined) throw new BodyDecodeError(`yaml: unknown anchor '${alias.source}' referenced`);
      if (isWithin(alias.range, target.range)) throw new BodyDecodeError(`yaml: anchor '${alias.source}' value contains itself`);
    },
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key, value } of map.items) {
        if (isCollection(key)) throw new BodyDecodeError(`yaml: invalid map key: ${formatInvalidKey(key.toJSON())}`);
        const name = (key as { readonly value?: unknown }).value;
        const at = (value as { readonly range?: readonly number[] } | null)?.range?.[0] ?? 0;
        if (seen.has(name)) repeated.push({ at, key: name });
        seen.add(name);
      }
    },
  });
  return { value: toJsonValue(toPlainValue(document)), strict: formatDuplicates(repeated, (at) => lines.linePos(at).line) };
}

/** Limit of alias expansion. */
const MAX_ALIASES = 10_000;

function toPlainValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
  } catch (error) {
    if (error instanceof ReferenceError) throw new BodyDecodeError("yaml: document contains excessive aliasing");
    if (error instanceof Error && error.message.startsWith("Merge sources"))
      throw new BodyDecodeError("yaml: map merge requires map or sequence of maps as the value");
    throw error;
  }
}

function isWithin(inner: readonly number[] | null | undefined, outer: readonly number[] | null | undefined): boolean {
  if (inner === null || inner === undefined || outer === null || outer === undefined) return false;
  return (inner[0] as number) >= (outer[0] as number) && (inner[1] as number) <= (outer[1] as number);
}

function formatInvalidKey(key: unknown): string {
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

function tryDecodeJson(text: string): DecodedText | undefined {
  try {
    return decodeJson(text);
  } catch {
    return undefined;
  }
}

/** Integers that fit become numbers, 64-bit ones stay bigint, longer ones become doubles. */
function toJsonValue(value: unknown): Json {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) || BigInt.asIntN(64, value) !== value ? number : value;
  }
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (typeof value !== "object" || value === null) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, toJsonValue(field)]));
}
