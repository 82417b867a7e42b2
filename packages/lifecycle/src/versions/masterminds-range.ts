/**
 * Version ranges of Masterminds/semver, the dialect of `ClusterExtension.spec.source.catalog.version`: `>=1.2, <2`, `1.2 - 1.4`, `~1.2`, `^1`,
 * `1.x || 3.x`. A range without a pre-release matches no pre-release. The grammar is scanned by hand, in linear time, because the regular
 * expressions of the Go library backtrack in JavaScript.
 */
import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";
import type { VersionRange } from "./blang-range.ts";
import { compareToConstraint, OPERATORS, type RangeConstraint } from "./masterminds-operators.ts";
import type { Version } from "./version.ts";

const MAX_LENGTH = 512;
const MAX_ALTERNATIVES = 32;
const MAX_VERSION_LENGTH = 256;
const MAX_UINT64 = 2n ** 64n - 1n;

/** Parses a range. Throws `PintleError` with the text of Masterminds/semver. */
export function parseMastermindsRange(text: string): VersionRange {
  if (Buffer.byteLength(text) > MAX_LENGTH) throw invalidRange(`constraint string is too long (max ${MAX_LENGTH} bytes)`);
  const alternatives = rewriteHyphenRanges(text).split("||");
  if (alternatives.length > MAX_ALTERNATIVES) throw invalidRange(`too many constraint groups (max ${MAX_ALTERNATIVES})`);
  const groups = alternatives.map(parseGroup);
  return (version) => groups.some((group) => matchesGroup(group, version));
}

function matchesGroup(group: readonly RangeConstraint[], version: Version): boolean {
  if (version.pre.length > 0 && !group.some(({ pre }) => pre !== "")) return false;
  return group.every((constraint) => OPERATORS[constraint.operator]!(compareToConstraint(version, constraint), constraint, version));
}

/** A version of a range, found in a text: its end, and its parts as written. */
interface ScannedVersion {
  readonly end: number;
  readonly text: string;
  /** Between one and three. */
  readonly numbers: readonly string[];
  /** Without its hyphen; empty without pre-release. */
  readonly pre: string;
}

const isSpace = (char: string | undefined) => char !== undefined && " \t\n\f\r".includes(char);
const isNumberChar = (char: string | undefined) => char !== undefined && "0123456789xX*|".includes(char);
const isIdentifierChar = (char: string | undefined) => char !== undefined && /[0-9A-Za-z-]/.test(char);

/** `1.2 - 1.4` -> `>= 1.2, <= 1.4 `, wherever it occurs. */
function rewriteHyphenRanges(text: string): string {
  let result = text;
  let at = 0;
  while (at < text.length) {
    const found = scanHyphenRange(text, at);
    if (found === undefined) at++;
    else {
      result = result.replace(text.slice(at, found.end), () => `>= ${found.from}, <= ${found.to} `);
      at = found.end;
    }
  }
  return result;
}

function scanHyphenRange(text: string, at: number): { readonly end: number; readonly from: string; readonly to: string } | undefined {
  const from = scanVersion(text, skipSpaces(text, at));
  if (from === undefined || !isSpace(text[from.end])) return undefined;
  const hyphen = skipSpaces(text, from.end);
  if (text[hyphen] !== "-" || !isSpace(text[hyphen + 1])) return undefined;
  const to = scanVersion(text, skipSpaces(text, hyphen + 1));
  return to === undefined ? undefined : { end: skipSpaces(text, to.end), from: from.text, to: to.text };
}

/** Parses constraints separated by spaces or commas, all of which must hold. */
function parseGroup(text: string): RangeConstraint[] {
  const improper = () => invalidRange(`improper constraint: ${quoteGoString(text)}`);
  const found: { readonly operator: string; readonly version: ScannedVersion }[] = [];
  let at = skipSpaces(text, 0);
  while (true) {
    const start = at;
    while (at < text.length && "=!<>~^".includes(text[at]!)) at++;
    const operator = text.slice(start, at);
    const version = Object.hasOwn(OPERATORS, operator) ? scanVersion(text, skipSpaces(text, at)) : undefined;
    if (version === undefined) throw improper();
    found.push({ operator, version });
    at = skipSpaces(text, version.end);
    if (at === text.length) break;
    if (text[at] === ",") at = skipSpaces(text, at + 1);
    else if (at === version.end) throw improper();
  }
  return found.map(({ operator, version }) => buildConstraint(operator, version));
}

function skipSpaces(text: string, at: number): number {
  let end = at;
  while (isSpace(text[end])) end++;
  return end;
}

function scanVersion(text: string, start: number): ScannedVersion | undefined {
  let at = text[start] === "v" && isNumberChar(text[start + 1]) ? start + 1 : start;
  const numbers: string[] = [];
  while (numbers.length < 3) {
    const first = numbers.length === 0 ? at : text[at] === "." ? at + 1 : at;
    if (numbers.length > 0 && first === at) break;
    let end = first;
    while (isNumberChar(text[end])) end++;
    if (end === first) break;
    numbers.push(text.slice(first, end));
    at = end;
  }
  if (numbers.length === 0) return undefined;
  const afterPre = scanIdentifiers(text, at, "-");
  const pre = text.slice(at + 1, afterPre);
  const end = scanIdentifiers(text, afterPre, "+");
  return { end, text: text.slice(start, end), numbers, pre };
}

/** The end of identifiers separated by dots behind `prefix`; `at` if there are none. */
function scanIdentifiers(text: string, at: number, prefix: string): number {
  if (text[at] !== prefix) return at;
  let end = at;
  while ((end === at || text[end] === ".") && isIdentifierChar(text[end + 1])) {
    end++;
    while (isIdentifierChar(text[end])) end++;
  }
  return end;
}

function buildConstraint(operator: string, { numbers, pre, text }: ScannedVersion): RangeConstraint {
  const wildcard = numbers.findIndex((number) => number === "x" || number === "X" || number === "*");
  const known = wildcard === -1 ? numbers : numbers.slice(0, wildcard);
  const [major = 0n, minor = 0n, patch = 0n] = known.map(parseNumber);
  const numericZero = pre.split(".").some((part) => /^0\d+$/.test(part));
  const padded = [...known, "0", "0", "0"].slice(0, 3).join(".");
  const length = known.length === 3 ? text.length : padded.length + (pre === "" ? 0 : pre.length + 1);
  if (numericZero || length > MAX_VERSION_LENGTH) throw unparsable();
  return { operator, major, minor, patch, pre, given: known.length as RangeConstraint["given"] };
}

function parseNumber(text: string): bigint {
  const value = /^\d+$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value > MAX_UINT64) throw unparsable();
  return value;
}

function unparsable(): PintleError {
  return invalidRange("constraint parser error");
}

function invalidRange(message: string): PintleError {
  return new PintleError("PINTLE8002", message);
}
