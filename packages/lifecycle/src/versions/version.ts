import { PintleError } from "pintle/internal/errors";
import { quoteGoString } from "pintle/internal/go-format";

/** A semantic version as the Go library blang/semver, and with it operator-registry, reads it. Numbers are unsigned 64-bit integers. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly pre: readonly PreRelease[];
  /** Build metadata; has no part in comparisons. */
  readonly build: readonly string[];
}

/** One identifier of a pre-release or of a release: a number, or text that is not one. */
export type PreRelease = bigint | string;

const MAX_UINT64 = 2n ** 64n - 1n;
const DIGITS = /^[0-9]*$/;
const IDENTIFIER = /^[0-9A-Za-z-]*$/;

/** Parses a complete version such as `1.2.3-rc.1+7`. Throws `PintleError` with the text of blang/semver. */
export function parseVersion(text: string): Version {
  if (text === "") throw invalidVersion("Version string empty");
  const parts = splitVersion(text);
  if (parts === undefined) throw invalidVersion("No Major.Minor.Patch elements found");
  const [majorText, minorText, rest] = parts;
  const major = parseNumber("major", majorText);
  const minor = parseNumber("minor", minorText);
  const [beforeBuild, build] = cut(rest, "+");
  const [patchText, pre] = cut(beforeBuild, "-");
  return {
    major,
    minor,
    patch: parseNumber("patch", patchText),
    pre: pre === undefined ? [] : pre.split(".").map(parsePreRelease),
    build: build === undefined ? [] : build.split(".").map(parseBuild),
  };
}

/** Parses a version as `parseVersion` does, after it removed spaces, a leading `v` and leading zeroes, and added missing numbers. */
export function parseTolerantVersion(text: string): Version {
  const trimmed = text.trim().replace(/^v/, "");
  const parts = splitVersion(trimmed) ?? trimmed.split(".");
  const numbers = parts.map((part) => (part.length > 1 ? trimZeroes(part) : part));
  if (numbers.length < 3 && /[+-]/.test(numbers.at(-1)!)) throw invalidVersion("Short version cannot contain PreRelease/Build meta data");
  while (numbers.length < 3) numbers.push("0");
  return parseVersion(numbers.join("."));
}

/** Formats a version; the opposite of `parseVersion`. */
export function formatVersion({ major, minor, patch, pre, build }: Version): string {
  const suffix = `${pre.length > 0 ? `-${pre.join(".")}` : ""}${build.length > 0 ? `+${build.join(".")}` : ""}`;
  return `${major}.${minor}.${patch}${suffix}`;
}

/** Orders versions by precedence: negative if `a` is lower. Build metadata is ignored. */
export function compareVersions(a: Version, b: Version): number {
  return (
    compare(a.major, b.major) ||
    compare(a.minor, b.minor) ||
    compare(a.patch, b.patch) ||
    // A version with a pre-release is lower than the same version without one.
    Number(a.pre.length === 0) - Number(b.pre.length === 0) ||
    comparePreReleases(a.pre, b.pre)
  );
}

/** Orders lists of identifiers: numbers before text, a prefix before what extends it. */
export function comparePreReleases(a: readonly PreRelease[], b: readonly PreRelease[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareIdentifiers(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Parses one identifier of a pre-release. */
export function parsePreRelease(text: string): PreRelease {
  if (text === "") throw invalidVersion("Prerelease is empty");
  if (!DIGITS.test(text)) {
    if (IDENTIFIER.test(text)) return text;
    throw invalidVersion(`Invalid character(s) found in prerelease ${quoteGoString(text)}`);
  }
  if (hasLeadingZero(text)) throw invalidVersion(`Numeric PreRelease version must not contain leading zeroes ${quoteGoString(text)}`);
  return parseUint(text);
}

function compareIdentifiers(a: PreRelease, b: PreRelease): number {
  if (typeof a !== typeof b) return typeof a === "bigint" ? -1 : 1;
  return compare(a, b);
}

function compare<T extends bigint | string>(a: T, b: T): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** `1.2.3.4` -> `["1", "2", "3.4"]`; undefined with fewer than two dots. */
function splitVersion(text: string): readonly [string, string, string] | undefined {
  const first = text.indexOf(".");
  const second = first === -1 ? -1 : text.indexOf(".", first + 1);
  if (second === -1) return undefined;
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}

function cut(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function parseNumber(part: "major" | "minor" | "patch", text: string): bigint {
  if (!DIGITS.test(text)) throw invalidVersion(`Invalid character(s) found in ${part} number ${quoteGoString(text)}`);
  if (hasLeadingZero(text)) {
    throw invalidVersion(`${part[0]!.toUpperCase()}${part.slice(1)} number must not contain leading zeroes ${quoteGoString(text)}`);
  }
  return parseUint(text);
}

/** Parses decimal digits as `strconv.ParseUint` does, with its texts. */
function parseUint(text: string): bigint {
  if (text === "") throw invalidVersion(`strconv.ParseUint: parsing "": invalid syntax`);
  const value = BigInt(text);
  if (value > MAX_UINT64) throw invalidVersion(`strconv.ParseUint: parsing ${quoteGoString(text)}: value out of range`);
  return value;
}

function parseBuild(text: string): string {
  if (text === "") throw invalidVersion("Build meta data is empty");
  if (!IDENTIFIER.test(text)) throw invalidVersion(`Invalid character(s) found in build meta data ${quoteGoString(text)}`);
  return text;
}

function trimZeroes(text: string): string {
  const rest = text.replace(/^0+/, "");
  return /^[0-9]/.test(rest) ? rest : `0${rest}`;
}

function hasLeadingZero(text: string): boolean {
  return text.length > 1 && text.startsWith("0");
}

function invalidVersion(message: string): PintleError {
  return new PintleError("PINTLE8001", message);
}
