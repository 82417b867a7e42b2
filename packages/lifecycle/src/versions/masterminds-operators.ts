/** The operators of Masterminds/semver: whether a version satisfies one comparison of a range. */
import type { Version } from "./version.ts";

/** One comparison of a range, such as `>=1.2`. */
export interface RangeConstraint {
  readonly operator: string;
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly pre: string;
  /** How many of the three numbers are given; wildcards are not, nor what follows them. */
  readonly given: 0 | 1 | 2 | 3;
}

/** `order` is that of the version and the constraint, whose missing numbers are 0. */
type Operator = (order: number, constraint: RangeConstraint, version: Version) => boolean;

const equalOrTilde: Operator = (order, constraint, version) => (constraint.given < 3 ? tilde(order, constraint, version) : order === 0);

const notEqual: Operator = (order, constraint, version) => {
  const { given, major, minor, patch, pre } = constraint;
  if (given === 3) return order !== 0;
  if (major !== version.major) return true;
  if (given === 1) return false;
  if (minor !== version.minor) return true;
  if (given === 0) return patch !== version.patch || order !== 0;
  return (version.pre.length > 0 || pre !== "") && comparePreReleaseTexts(version.pre.join("."), pre) !== 0;
};

const greater: Operator = (order, { given, major, minor }, version) => {
  if (given === 3 || given === 0) return order > 0;
  if (version.major !== major) return version.major > major;
  return given === 2 && version.minor > minor;
};

const lessOrEqual: Operator = (order, { given, major, minor }, version) => {
  if (given === 3) return order <= 0;
  if (version.major > major) return false;
  return given === 1 || version.major !== major || version.minor <= minor;
};

const tilde: Operator = (order, { given, major, minor, patch }, version) => {
  if (order < 0) return false;
  if (major === 0n && minor === 0n && patch === 0n && (given === 0 || given === 3)) return true;
  return version.major === major && (given === 1 || version.minor === minor);
};

const caret: Operator = (order, { given, major, minor, patch }, version) => {
  if (order < 0) return false;
  if (major > 0n || given === 1) return version.major === major;
  if (version.major > 0n) return false;
  if (minor > 0n || given === 2) return version.minor === minor;
  return version.minor === 0n && version.patch === patch;
};

/** By their text in a range. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  "": equalOrTilde,
  "=": equalOrTilde,
  "!=": notEqual,
  ">": greater,
  "<": (order) => order < 0,
  ">=": (order) => order >= 0,
  "=>": (order) => order >= 0,
  "<=": lessOrEqual,
  "=<": lessOrEqual,
  "~": tilde,
  "~>": tilde,
  "^": caret,
};

/** Orders a version and the version of a constraint. */
export function compareToConstraint(version: Version, constraint: RangeConstraint): number {
  for (const part of ["major", "minor", "patch"] as const) {
    if (version[part] !== constraint[part]) return version[part] < constraint[part] ? -1 : 1;
  }
  const pre = version.pre.join(".");
  if (pre === constraint.pre) return 0;
  if (pre === "") return 1;
  return constraint.pre === "" ? -1 : comparePreReleaseTexts(pre, constraint.pre);
}

/** Orders pre-releases part by part; a missing part is the lowest, numbers are below text. */
function comparePreReleaseTexts(a: string, b: string): number {
  const [left, right] = [a.split("."), b.split(".")];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = comparePart(left[i] ?? "", right[i] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "" || b === "") return a === "" ? -1 : 1;
  const [left, right] = [parseUint64(a), parseUint64(b)];
  if (left === undefined && right === undefined) return a > b ? 1 : -1;
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
  return left > right ? 1 : -1;
}

function parseUint64(text: string): bigint | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const value = BigInt(text);
  return value < 2n ** 64n ? value : undefined;
}
