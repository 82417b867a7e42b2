import { BodyDecodeError } from "./body-error.ts";

/** From this length on, the library's way to resolve a text, character by character, takes so much memory that collecting it stops the server for a second. */
export const LONG_TEXT = 64 * 1024;
const PIECE = 4096;

const ESCAPED_LENGTHS: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };
const WHITESPACE = new Set([" ", "\t", "\r", "\n"]);

type YamlLibrary = typeof import("yaml");

/**
 * Yields the value of a double-quoted scalar in pieces, which the library resolves. Between two pieces stands neither an escape sequence nor
 * white space, which may be folded.
 */
export function* resolveDoubleQuoted(yaml: YamlLibrary, source: string, lineOf: (at: number) => number): Generator<string> {
  const end = source.endsWith('"') ? source.length - 1 : source.length;
  for (let from = 1, to = from; from < end; from = to) {
    to = findCut(source, from, end);
    const piece = { type: "double-quoted-scalar" as const, offset: 0, indent: 0, source: `"${source.slice(from, to)}"` };
    const onError = (at: number, code: string) => {
      throw new BodyDecodeError(`yaml: line ${lineOf(from - 1 + at)}: ${code.toLowerCase().replaceAll("_", " ")}`);
    };
    yield yaml.CST.resolveAsScalar(piece, true, onError)?.value ?? "";
  }
}

function findCut(source: string, from: number, end: number): number {
  let at = from;
  while (at < end && (at - from < PIECE || WHITESPACE.has(source[at - 1] as string))) {
    at += source[at] === "\\" ? (ESCAPED_LENGTHS[source[at + 1] as string] ?? 2) : 1;
  }
  return Math.min(at, end);
}
