import type { OverloadDefinition } from "../check/functions.ts";
import { createFailure, type Failure, OpaqueValue, type Value } from "../values/value.ts";

class SemverValue extends OpaqueValue {
  readonly typeName = "kubernetes.Semver";
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];
  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }
  equals(other: SemverValue): boolean {
    return compareVersions(this, other) === 0n;
  }
}

const number = "0|[1-9]\\d*";
const identifier = `(?:${number}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const semverPattern = new RegExp(
  `^(${number})\\.(${number})\\.(${number})(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

function parseSemver(text: string, normalize = false): SemverValue | Failure {
  const normal = normalize ? normalizeSemver(text) : text;
  if (typeof normal !== "string") return normal;
  const match = semverPattern.exec(normal);
  if (match === null) return createFailure(describeSemverError(normal));
  return new SemverValue(match.slice(1, 4).map(BigInt), match[4]?.split(".") ?? []);
}

function describeSemverError(text: string): string {
  if (text === "") return "Version string empty";
  const parts = text.split(".");
  if (parts.length < 3) return "No Major.Minor.Patch elements found";
  const [name, part] = (["Major", "Minor"] as const)
    .map((one, i) => [one, parts[i]!] as const)
    .find(([, one]) => !/^(0|[1-9]\d*)$/.test(one)) ?? ["Patch", parts[2]!.split(/[-+]/)[0]!];
  if (/^0\d/.test(part)) return `${name} number must not contain leading zeroes "${part}"`;
  return `Invalid character(s) found in ${name.toLowerCase()} number "${part}"`;
}

/** Drops a leading "v" and leading zeros, and fills missing parts with 0. */
function normalizeSemver(text: string): string | Failure {
  const parts = splitThree(text.replace(/^v/, "")).map((part) => part.replace(/^0+(?=\d)/, ""));
  if (parts.length < 3 && /[+-]/.test(parts.at(-1)!)) return createFailure("short version cannot contain PreRelease/Build meta data");
  while (parts.length < 3) parts.push("0");
  return parts.join(".");
}

function splitThree(text: string): string[] {
  const [a, b, ...rest] = text.split(".") as [string, ...string[]];
  return [a, ...(b === undefined ? [] : [b]), ...(rest.length === 0 ? [] : [rest.join(".")])];
}

function compareVersions(a: SemverValue, b: SemverValue): bigint {
  for (let i = 0; i < 3; i++) if (a.numbers[i] !== b.numbers[i]) return a.numbers[i]! < b.numbers[i]! ? -1n : 1n;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return BigInt(Math.sign(b.prerelease.length - a.prerelease.length));
  for (let i = 0; i < Math.max(a.prerelease.length, b.prerelease.length); i++) {
    const order = comparePrerelease(a.prerelease[i], b.prerelease[i]);
    if (order !== 0n) return order;
  }
  return 0n;
}

/** Orders numeric identifiers before alphanumeric ones, and shorter prereleases before longer ones. */
function comparePrerelease(a: string | undefined, b: string | undefined): bigint {
  if (a === undefined || b === undefined) return a === b ? 0n : a === undefined ? -1n : 1n;
  const [x, y] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (x !== y) return x ? -1n : 1n;
  if (a === b) return 0n;
  // Without leading zeros, the longer number is the greater one.
  if (x && a.length !== b.length) return a.length < b.length ? -1n : 1n;
  return a < b ? -1n : 1n;
}

type V = SemverValue;
const type = "kubernetes.Semver";

export const semverFunctions: readonly OverloadDefinition[] = [
  ["string_to_semver", `semver(string): ${type}`, (text: string): Value => parseSemver(text)],
  ["string_bool_to_semver", `semver(string, bool): ${type}`, parseSemver],
  ["is_semver_string", "isSemver(string): bool", (text: string) => parseSemver(text) instanceof SemverValue],
  [
    "is_semver_string_bool",
    "isSemver(string, bool): bool",
    (text: string, normalize: boolean) => parseSemver(text, normalize) instanceof SemverValue,
  ],
  ["semver_is_greater_than", `${type}.isGreaterThan(${type}): bool`, (a: V, b: V) => compareVersions(a, b) > 0n],
  ["semver_is_less_than", `${type}.isLessThan(${type}): bool`, (a: V, b: V) => compareVersions(a, b) < 0n],
  ["semver_compare_to", `${type}.compareTo(${type}): int`, compareVersions],
  ["semver_major", `${type}.major(): int`, ({ numbers }: V) => numbers[0]!],
  ["semver_minor", `${type}.minor(): int`, ({ numbers }: V) => numbers[1]!],
  ["semver_patch", `${type}.patch(): int`, ({ numbers }: V) => numbers[2]!],
];
