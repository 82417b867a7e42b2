/**
 * Version ranges of blang/semver, the dialect of `skipRange` and `olm.package.required`: `>=1.0.0 <2.0.0 || >3.0.0 !4.2.1`, wildcards as in
 * `1.2.x`. The peculiarities of that library are part of the dialect, since published catalogs depend on them: tokens of one character are
 * dropped, `1.x.x` means `>=1.0.0 <1.1.0`, and an unknown operator before a wildcard is ignored.
 */
import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";
import { compareVersions, parseVersion, type Version } from "./version.ts";

/** A parsed version range. */
export type VersionRange = (version: Version) => boolean;

const COMPARATORS: Readonly<Record<string, (order: number) => boolean>> = {
  "": (order) => order === 0,
  "=": (order) => order === 0,
  "==": (order) => order === 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  "!": (order) => order !== 0,
  "!=": (order) => order !== 0,
};

/** Parses a range. Throws `PintleError` with the text of blang/semver. */
export function parseBlangRange(text: string): VersionRange {
  const alternatives = splitAlternatives(splitTokens(text))
    .map((tokens) => tokens.flatMap(expandWildcard))
    .map((tokens) => tokens.map(parseComparison));
  // An alternative without comparisons, as in `1.0.0 || || 2.0.0`, matches nothing.
  return (version) => alternatives.some((all) => all.length > 0 && all.every((matches) => matches(version)));
}

/** Splits at spaces, but not after `>`, `<` and `=`. Tokens of one byte are dropped. */
function splitTokens(text: string): string[] {
  const tokens: string[] = [];
  let start = 0;
  let lastChar = "";
  const push = (end: number) => {
    const token = text.slice(start, end);
    if (Buffer.byteLength(token) > 1) tokens.push(token.replaceAll(" ", ""));
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char !== " ") lastChar = char;
    else if (lastChar === "" || !"><=".includes(lastChar)) {
      push(i);
      start = i + 1;
    }
  }
  push(text.length);
  return tokens;
}

function splitAlternatives(tokens: readonly string[]): string[][] {
  const alternatives: string[][] = [];
  let start = 0;
  tokens.forEach((token, i) => {
    if (token !== "||") return;
    if (i === 0) throw invalidRange("First element in range is '||'");
    alternatives.push(tokens.slice(start, i));
    start = i + 1;
  });
  if (start === tokens.length) throw invalidRange("Last element in range is '||'");
  return [...alternatives, tokens.slice(start)];
}

/** `>1.2.x` -> `>=1.3.0`: the comparisons without wildcard that a token stands for. */
function expandWildcard(token: string): string[] {
  if (!token.includes("x")) return [token];
  const [operator, version] = splitOperator(token);
  const lowest = replaceWildcard(version);
  switch (operator) {
    case ">":
      return [`>=${incrementWildcard(version, lowest)}`];
    case ">=":
    case "<":
      return [`${operator}${lowest}`];
    case "<=":
      return [`<${incrementWildcard(version, lowest)}`];
    case "":
    case "=":
    case "==":
      return [`>=${lowest}`, `<${incrementWildcard(version, lowest)}`];
    case "!":
    case "!=":
      return [`<${lowest}`, `>=${incrementWildcard(version, lowest)}`];
    default:
      return [lowest];
  }
}

function splitOperator(token: string): readonly [string, string] {
  const at = token.search(/\p{Nd}/u);
  if (at === -1) throw invalidRange(`Could not get version from string: ${quoteGoString(token)}`);
  return [token.slice(0, at).trim(), token.slice(at)];
}

/** `1.x` and `1.x.x` -> `1.0.0`. */
function replaceWildcard(version: string): string {
  const replaced = version.replace(".x.x", ".x").replace(".x", ".0");
  return replaced.split(".").length === 2 ? `${replaced}.0` : replaced;
}

/** The first version above all that the wildcard covers; empty where the last part is no wildcard, which fails to parse. */
function incrementWildcard(version: string, lowest: string): string {
  const parts = version.split(".");
  if (parts.at(-1) !== "x" || parts.length < 2 || parts.length > 3) return "";
  // A third part increments the second, a second part the first.
  const index = parts.length - 2;
  const incremented = lowest.split(".");
  const number = incremented[index];
  // The Go library parses this number as a signed one.
  if (number === undefined || !/^\d+$/.test(number) || BigInt(number) >= 2n ** 63n) return "";
  incremented[index] = String(BigInt(number) + 1n);
  return incremented.join(".");
}

function parseComparison(token: string): VersionRange {
  const [operator, text] = splitOperator(token);
  const matches = Object.hasOwn(COMPARATORS, operator) ? COMPARATORS[operator] : undefined;
  const failed = (why: string) => invalidRange(`Could not parse Range ${quoteGoString(token)}: ${why}`);
  if (matches === undefined) throw failed(`Could not parse comparator ${quoteGoString(operator)} in ${quoteGoString(operator + text)}`);
  let bound: Version;
  try {
    bound = parseVersion(text);
  } catch (error) {
    throw failed(
      `Could not parse version ${quoteGoString(text)} in ${quoteGoString(operator + text)}: ${error instanceof Error ? error.message : error}`,
    );
  }
  return (version) => matches(compareVersions(version, bound));
}

function invalidRange(message: string): PintleError {
  return new PintleError("PINTLE8002", message);
}
