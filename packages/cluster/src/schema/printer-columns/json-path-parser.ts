import type { Json } from "pintle/kinds";

export type JsonPathNode =
  | { readonly is: "field"; readonly name: string }
  | { readonly is: "value"; readonly value: Json }
  | { readonly is: "wildcard" }
  | { readonly is: "recursive" }
  | {
      readonly is: "slice";
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly single: boolean;
      readonly step: number;
    }
  | { readonly is: "union"; readonly branches: readonly ParsedJsonPath[] }
  | { readonly is: "filter"; readonly left: ParsedJsonPath; readonly operator: string; readonly right: ParsedJsonPath };

export type ParsedJsonPath = readonly JsonPathNode[];

/** Parses the content of the braces of a Kubernetes JSONPath template. */
export function parseJsonPath(text: string): ParsedJsonPath {
  const nodes: JsonPathNode[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const char = rest[0]!;
    if (rest.startsWith("[?(")) at += parseFilter(rest, nodes);
    else if (rest.startsWith("..")) at += parseRecursiveDescent(rest, nodes);
    else if (char === " " || char === "@" || char === "$") at++;
    else if (char === "[") at += parseBracket(rest, nodes);
    else if (char === '"' || char === "'") at += parseQuoted(rest, nodes);
    else if (char === ".") at += parseField(rest, 1, nodes);
    else if (/^[+\-\d]/.test(rest)) at += parseNumber(rest, nodes);
    else if (/^(?:true|false)\b/.test(rest)) at += parseBoolean(rest, nodes);
    else throw new SyntaxError(`unrecognized character in action: ${char}`);
  }
  return nodes;
}

function parseField(rest: string, skip: number, nodes: JsonPathNode[]): number {
  const name = /^(?:\\.|[^\s.,[\]$@{}\\])*/su.exec(rest.slice(skip))![0];
  nodes.push(name === "*" ? { is: "wildcard" } : { is: "field", name: name.replaceAll("\\", "") });
  return skip + name.length;
}

function parseRecursiveDescent(rest: string, nodes: JsonPathNode[]): number {
  if (nodes.at(-1)?.is === "recursive") throw new SyntaxError("invalid multiple recursive descent");
  nodes.push({ is: "recursive" });
  return /^[\p{L}\p{N}_]/u.test(rest.slice(2)) ? parseField(rest, 2, nodes) : 2;
}

function parseNumber(rest: string, nodes: JsonPathNode[]): number {
  const text = /^[+-]?[\d.]*/.exec(rest)![0];
  const value = Number(text);
  if (Number.isNaN(value) || !/\d/.test(text)) throw new SyntaxError(`cannot parse number ${text}`);
  nodes.push({ is: "value", value });
  return text.length;
}

function parseBoolean(rest: string, nodes: JsonPathNode[]): number {
  const text = rest.startsWith("true") ? "true" : "false";
  nodes.push({ is: "value", value: text === "true" });
  return text.length;
}

const SINGLE_QUOTED = /^'(?:\\.|[^'\\\n])*'/su;
const DOUBLE_QUOTED = /^"(?:\\.|[^"\\\n])*"/su;

function parseQuoted(rest: string, nodes: JsonPathNode[]): number {
  const quoted = (rest[0] === "'" ? SINGLE_QUOTED : DOUBLE_QUOTED).exec(rest)?.[0];
  if (quoted === undefined) throw new SyntaxError("unterminated quoted string");
  nodes.push({ is: "value", value: quoted.slice(1, -1).replace(/\\(.)/gs, (_, char: string) => escapes[char] ?? char) });
  return quoted.length;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", a: "\u0007", b: "\b", f: "\f", v: "\v" };

function parseBracket(rest: string, nodes: JsonPathNode[]): number {
  const end = rest.indexOf("]");
  if (end < 0) throw new SyntaxError("unterminated array");
  const inner = rest.slice(1, end);
  const parts = inner.split(",");
  if (parts.length > 1) nodes.push({ is: "union", branches: parts.map((part) => parseJsonPath(`[${part.trim()}]`)) });
  else nodes.push(...parseIndex(inner === "*" ? ":" : inner));
  return end + 1;
}

function parseIndex(inner: string): ParsedJsonPath {
  const key = /^'([^']*)'$/.exec(inner);
  if (key !== null) return parseJsonPath(`.${key[1]}`);
  const match = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/.exec(inner);
  if (match === null) throw new SyntaxError(`invalid array index ${inner}`);
  const [from, to, by] = match.slice(1).map((text) => (text === undefined || text === "" ? undefined : Number(text)));
  return [{ is: "slice", from, to, single: match[2] === undefined, step: by ?? 1 }];
}

function parseFilter(rest: string, nodes: JsonPathNode[]): number {
  const end = findFilterEnd(rest);
  const text = rest.slice(3, end);
  const match = /^([^!<>=]+)([!<>=]+)(.+?)$/s.exec(text);
  nodes.push(
    match === null
      ? { is: "filter", left: parseJsonPath(text), operator: "exists", right: [] }
      : { is: "filter", left: parseJsonPath(match[1]!), operator: match[2]!, right: parseJsonPath(match[3]!) },
  );
  return end + 2;
}

/** Returns the index of the closing parenthesis, ignoring those inside quoted strings. */
function findFilterEnd(rest: string): number {
  let quote = "";
  for (let i = 3; i < rest.length; i++) {
    const char = rest[i]!;
    if (quote !== "") {
      if (char === quote && rest[i - 1] !== "\\") quote = "";
    } else if (char === '"' || char === "'") {
      quote = char;
    } else if (char === ")") {
      if (rest[i + 1] !== "]") throw new SyntaxError("unclosed array expect ]");
      return i;
    }
  }
  throw new SyntaxError("unterminated filter");
}
