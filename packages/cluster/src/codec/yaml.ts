import type { Json } from "pintle/kinds";
import type { Document, Tags } from "yaml";
import { BodyError } from "./body-error.ts";
import { type Decoded, decodeJson } from "./json/decode.ts";

/** Tags of YAML 1.1 that Go's library does not know, and base-60 numbers. */
const UNKNOWN_TO_GO = /:(timestamp|binary|omap|pairs|set|(int|float) TIME)\s*$/;

/**
 * Reads YAML as Kubernetes does: version 1.1 without dates and base-60 numbers, keys made strings, the first document
 * only. Most "YAML" is JSON text (kubectl's server-side apply), and then the YAML library is not even loaded.
 */
export async function decodeYaml(text: string): Promise<Decoded> {
  const json = /^\s*\{/.test(text) ? jsonOf(text) : undefined;
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
    throw new BodyError(`yaml: line ${problem.linePos?.[0].line ?? 1}: ${problem.code.toLowerCase().replaceAll("_", " ")}`);
  const repeated: { readonly at: number; readonly key: unknown }[] = [];
  visit(document, {
    Alias(_, alias) {
      const target = alias.resolve(document);
      if (target === undefined) throw new BodyError(`yaml: unknown anchor '${alias.source}' referenced`);
      if (isWithin(alias.range, target.range)) throw new BodyError(`yaml: anchor '${alias.source}' value contains itself`);
    },
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key, value } of map.items) {
        if (isCollection(key)) throw new BodyError(`yaml: invalid map key: ${invalidKey(key.toJSON())}`);
        const name = (key as { readonly value?: unknown }).value;
        const at = (value as { readonly range?: readonly number[] } | null)?.range?.[0] ?? 0;
        if (seen.has(name)) repeated.push({ at, key: name });
        seen.add(name);
      }
    },
  });
  return { value: plain(contentOf(document)), strict: repetitions(repeated, (at) => lines.linePos(at).line) };
}

/** As much as references may multiply a document. */
const MAX_ALIASES = 10_000;

function contentOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
  } catch (error) {
    if (error instanceof ReferenceError) throw new BodyError("yaml: document contains excessive aliasing");
    throw error;
  }
}

function isWithin(inner: readonly number[] | null | undefined, outer: readonly number[] | null | undefined): boolean {
  if (inner === null || inner === undefined || outer === null || outer === undefined) return false;
  return (inner[0] as number) >= (outer[0] as number) && (inner[1] as number) <= (outer[1] as number);
}

function invalidKey(key: unknown): string {
  if (Array.isArray(key)) return `[]interface {}{${key.map((item) => JSON.stringify(item)).join(", ")}}`;
  return `map[interface {}]interface {}{${Object.entries(key as object)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(", ")}}`;
}

function repetitions(
  repeated: readonly { readonly at: number; readonly key: unknown }[],
  lineOf: (at: number) => number,
): readonly string[] {
  if (repeated.length === 0) return [];
  const texts = [...repeated]
    .sort((a, b) => a.at - b.at)
    .map(({ at, key }) => `\n  line ${lineOf(at)}: key ${typeof key === "string" ? JSON.stringify(key) : String(key)} already set in map`);
  return [`yaml: unmarshal errors:${texts.join("")}`];
}

function jsonOf(text: string): Decoded | undefined {
  try {
    return decodeJson(text);
  } catch {
    return undefined;
  }
}

/** Integers that fit are numbers; those of 64 bits stay exact; longer ones are doubles. */
function plain(value: unknown): Json {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) || BigInt.asIntN(64, value) !== value ? number : value;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
}
