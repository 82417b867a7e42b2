import { CelSyntaxError, type Expr, parseExpression } from "../../schema/cel/index.ts";
import { ApiError } from "../../status/index.ts";
import type { ObjectMeta } from "../metadata/object-meta.ts";

/** A part of a collection: the objects whose hashed uid or namespace is in one of the ranges. Alpha in Kubernetes 1.36. */
export interface ShardSelector {
  /** The selector in its normal form, which a list returns. */
  readonly text: string;
  matches(metadata: ObjectMeta): boolean;
}

interface ShardRange {
  readonly key: string;
  readonly start: string;
  readonly end: string;
}

const KEYS: Readonly<Record<string, (metadata: ObjectMeta) => string>> = {
  "object.metadata.uid": ({ uid }) => uid ?? "",
  "object.metadata.namespace": ({ namespace }) => namespace ?? "",
};
/** Go's numbers of the kinds of CEL expressions, which its messages have. */
const KIND_NUMBERS: Readonly<Record<Expr["is"], number>> = {
  call: 1,
  comprehension: 2,
  ident: 3,
  list: 4,
  literal: 5,
  map: 6,
  select: 7,
  struct: 8,
};

/** Parses `shardRange(object.metadata.uid, '0x…', '0x…') || …`. Throws the error of kube-apiserver. */
export function parseShardSelector(source: string): ShardSelector {
  const ranges = collectRanges(parse(source.trim()));
  const [{ key } = { key: "" }] = ranges;
  const other = ranges.find((range) => range.key !== key);
  if (other !== undefined) throw shardError(`all shard ranges must use the same field, got ${quote(key)} and ${quote(other.key)}`);
  const read = KEYS[key] as (metadata: ObjectMeta) => string;
  return {
    text: ranges.map(({ start, end }) => `shardRange(${key}, '${start}', '${end}')`).join(" || "),
    matches(metadata) {
      const hash = `0x${hashFnv1a(read(metadata)).toString(16).padStart(16, "0")}`;
      return ranges.some(({ start, end }) => !isLess(hash, start) && isLess(hash, end));
    },
  };
}

const quote = (text: string) => JSON.stringify(text);
const shardError = (why: string) => new ApiError(500, "", `invalid shard selector: ${why}`);

function parse(source: string): Expr {
  if (source === "") throw shardError("empty shard selector is not allowed; omit the parameter for unfiltered lists");
  try {
    const parsed = parseExpression(source);
    if ("is" in parsed) return parsed;
    throw shardError(`CEL parse error: ${parsed[0]?.message}`);
  } catch (error) {
    if (error instanceof CelSyntaxError) throw shardError(`CEL parse error: ${error.message}`);
    throw error;
  }
}

function collectRanges(expr: Expr): readonly ShardRange[] {
  if (expr.is !== "call") {
    throw shardError(`unexpected expression kind ${KIND_NUMBERS[expr.is]}; expected shardRange() call or || operator`);
  }
  if (expr.fn === "_||_") return expr.args.flatMap(collectRanges);
  if (expr.fn === "shardRange") return [readRange(expr.args)];
  throw shardError(`unsupported function ${quote(expr.fn)}; only shardRange() and || are allowed`);
}

function readRange(args: readonly Expr[]): ShardRange {
  const [field, from, to] = args;
  if (field === undefined || from === undefined || to === undefined || args.length !== 3) {
    throw shardError(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  }
  const key = readPath(field);
  if (!Object.hasOwn(KEYS, key)) {
    throw shardError(`unsupported field path ${quote(key)}; supported: object.metadata.uid, object.metadata.namespace`);
  }
  const start = readBound(from, "hexStart");
  const end = readBound(to, "hexEnd");
  if (!isLess(start, end)) throw shardError(`shard range start ${start} must be less than end ${end}`);
  return { key, start, end };
}

function readPath(expr: Expr): string {
  if (expr.is === "ident") return expr.name;
  if (expr.is === "select") return `${readPath(expr.operand)}.${expr.field}`;
  const why = `expected field path (e.g. object.metadata.uid), got expression kind ${KIND_NUMBERS[expr.is]}`;
  throw shardError(`shardRange() first argument: ${why}`);
}

const MAX_BOUND = "0x10000000000000000";

function readBound(expr: Expr, name: string): string {
  if (expr.is !== "literal")
    throw shardError(`${name} must be a string literal (e.g. '0xff'), got expression kind ${KIND_NUMBERS[expr.is]}`);
  const { value } = expr;
  if (typeof value !== "string") throw shardError(`${name} must be a string literal, got ${describeGoType(value)}`);
  if (!value.startsWith("0x")) throw shardError(`${name} must have '0x' prefix, got ${quote(value)}`);
  const digits = value.slice(2);
  if (digits === "") throw shardError(`${name}: hex value is required after '0x'`);
  if (digits.length > 17) throw shardError(`${name}: hex value too long (${digits.length} chars, max 17): ${quote(digits)}`);
  const invalid = [...digits].find((digit) => !/[0-9a-f]/.test(digit));
  if (invalid !== undefined) throw shardError(`${name}: invalid hex character ${quote(invalid)} in ${quote(value)}`);
  if (digits.length === 17 && value !== MAX_BOUND) {
    throw shardError(`${name}: 17-digit hex value must be '${MAX_BOUND}' (2^64), got ${quote(value)}`);
  }
  if (digits.length >= 16) return value;
  const padded = `0x${digits.padStart(16, "0")}`;
  throw shardError(`${name} must be a 0x-prefixed 16-digit hex value, got ${quote(value)} (did you mean ${quote(padded)}?)`);
}

function describeGoType(value: unknown): string {
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** Compares numbers in hexadecimal with leading zeros; only 2^64 has one digit more. */
function isLess(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** The 64-bit FNV-1a hash of a text in UTF-8. */
function hashFnv1a(text: string): bigint {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash;
}
