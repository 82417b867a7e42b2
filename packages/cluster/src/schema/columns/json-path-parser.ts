import type { Json } from "pintle/kinds";

export type PathNode =
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
  | { readonly is: "union"; readonly branches: readonly Parsed[] }
  | { readonly is: "filter"; readonly left: Parsed; readonly operator: string; readonly right: Parsed };

export type Parsed = readonly PathNode[];

/** Reads what stands between the braces of a Kubernetes JSONPath template. */
export function parseJsonPath(text: string): Parsed {
  const nodes: PathNode[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const char = rest[0]!;
    if (rest.startsWith("[?(")) at += filter(rest, nodes);
    else if (rest.startsWith("..")) at += recursive(rest, nodes);
    else if (char === " " || char === "@" || char === "$") at++;
    else if (char === "[") at += bracket(rest, nodes);
    else if (char === '"' || char === "'") at += quoted(rest, nodes);
    else if (char === ".") at += field(rest, 1, nodes);
    else if (/^[+\-\d]/.test(rest)) at += number(rest, nodes);
    else if (/^(?:true|false)\b/.test(rest)) at += boolean(rest, nodes);
    else throw new SyntaxError(`unrecognized character in action: ${char}`);
  }
  return nodes;
}

function field(rest: string, skip: number, nodes: PathNode[]): number {
  const name = /^(?:\\.|[^\s.,[\]$@{}\\])*/su.exec(rest.slice(skip))![0];
  nodes.push(name === "*" ? { is: "wildcard" } : { is: "field", name: name.replaceAll("\\", "") });
  return skip + name.length;
}

function recursive(rest: string, nodes: PathNode[]): number {
  if (nodes.at(-1)?.is === "recursive") throw new SyntaxError("invalid multiple recursive descent");
  nodes.push({ is: "recursive" });
  return /^[\p{L}\p{N}_]/u.test(rest.slice(2)) ? field(rest, 2, nodes) : 2;
}

function number(rest: string, nodes: PathNode[]): number {
  const text = /^[+-]?[\d.]*/.exec(rest)![0];
  const value = Number(text);
  if (Number.isNaN(value) || !/\d/.test(text)) throw new SyntaxError(`cannot parse number ${text}`);
  nodes.push({ is: "value", value });
  return text.length;
}

function boolean(rest: string, nodes: PathNode[]): number {
  const text = rest.startsWith("true") ? "true" : "false";
  nodes.push({ is: "value", value: text === "true" });
  return text.length;
}

function quoted(rest: string, nodes: PathNode[]): number {
  const match = /^(["'])((?:\\.|(?!\1)[^\n])*)\1/su.exec(rest);
  if (match === null) throw new SyntaxError("unterminated quoted string");
  nodes.push({ is: "value", value: match[2]!.replace(/\\(.)/gs, (_, char: string) => escapes[char] ?? char) });
  return match[0].length;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", a: "\u0007", b: "\b", f: "\f", v: "\v" };

function bracket(rest: string, nodes: PathNode[]): number {
  const end = rest.indexOf("]");
  if (end < 0) throw new SyntaxError("unterminated array");
  const inner = rest.slice(1, end);
  const parts = inner.split(",");
  if (parts.length > 1) nodes.push({ is: "union", branches: parts.map((part) => parseJsonPath(`[${part.trim()}]`)) });
  else nodes.push(...index(inner === "*" ? ":" : inner));
  return end + 1;
}

function index(inner: string): Parsed {
  const key = /^'([^']*)'$/.exec(inner);
  if (key !== null) return parseJsonPath(`.${key[1]}`);
  const match = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/.exec(inner);
  if (match === null) throw new SyntaxError(`invalid array index ${inner}`);
  const [from, to, by] = match.slice(1).map((text) => (text === undefined || text === "" ? undefined : Number(text)));
  return [{ is: "slice", from, to, single: match[2] === undefined, step: by ?? 1 }];
}

function filter(rest: string, nodes: PathNode[]): number {
  const end = filterEnd(rest);
  const text = rest.slice(3, end);
  const match = /^([^!<>=]+)([!<>=]+)(.+?)$/s.exec(text);
  nodes.push(
    match === null
      ? { is: "filter", left: parseJsonPath(text), operator: "exists", right: [] }
      : { is: "filter", left: parseJsonPath(match[1]!), operator: match[2]!, right: parseJsonPath(match[3]!) },
  );
  return end + 2;
}

/** Where the closing parenthesis stands; those inside a quoted string do not count. */
function filterEnd(rest: string): number {
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
