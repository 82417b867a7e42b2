import { parseGoDuration } from "pintle/internal/go-format";
import { parseShortInteger } from "pintle/internal/text";
import { DecodeError, parseTime } from "../../decode/index.ts";
import type { OverloadDefinition } from "../check/functions.ts";
import { createFailure, Duration, getTypeName, type Timestamp, TypeValue, Uint, type Value } from "../values/value.ts";
import { createTimestamp, formatDuration, formatTimestamp } from "./time.ts";

const returnUnchanged = (value: Value): Value => value;
const createConversionFailure = (from: string, to: string): Value => createFailure(`type conversion error from '${from}' to '${to}'`);

export const conversionFunctions: readonly OverloadDefinition[] = [
  ["type", "type(A): type(A)", (value: Value) => new TypeValue(getTypeName(value))],
  ["to_dyn", "dyn(A): dyn", returnUnchanged],

  ["bool_to_bool", "bool(bool): bool", returnUnchanged],
  ["string_to_bool", "bool(string): bool", toBool],

  ["bytes_to_bytes", "bytes(bytes): bytes", returnUnchanged],
  ["string_to_bytes", "bytes(string): bytes", (text: string) => new TextEncoder().encode(text)],

  ["double_to_double", "double(double): double", returnUnchanged],
  ["int64_to_double", "double(int): double", (value: bigint) => Number(value)],
  ["string_to_double", "double(string): double", toDouble],
  ["uint64_to_double", "double(uint): double", ({ value }: Uint) => Number(value)],

  ["duration_to_duration", "duration(duration): duration", returnUnchanged],
  // cel-go declares this overload without an implementation.
  ["int64_to_duration", "duration(int): duration", () => createConversionFailure("int", "google.protobuf.Duration")],
  ["string_to_duration", "duration(string): duration", parseDurationValue],

  ["int64_to_int64", "int(int): int", returnUnchanged],
  [
    "double_to_int64",
    "int(double): int",
    (value: number) => (Number.isFinite(value) ? checkIntRange(BigInt(Math.trunc(value))) : createFailure("integer overflow")),
  ],
  ["duration_to_int64", "int(duration): int", ({ nanos }: Duration) => nanos],
  [
    "string_to_int64",
    "int(string): int",
    (text: string) =>
      /^[+-]?\d+$/.test(text) ? checkParsedRange(parseShortInteger(text) ?? OUT_OF_RANGE, "int") : createConversionFailure("string", "int"),
  ],
  ["timestamp_to_int64", "int(timestamp): int", ({ nanos }: Timestamp) => floorSeconds(nanos)],
  ["uint64_to_int64", "int(uint): int", ({ value }: Uint) => checkIntRange(value)],

  ["string_to_string", "string(string): string", returnUnchanged],
  ["bool_to_string", "string(bool): string", String],
  ["bytes_to_string", "string(bytes): string", decodeUtf8],
  ["double_to_string", "string(double): string", formatDouble],
  ["duration_to_string", "string(duration): string", formatDuration],
  ["int64_to_string", "string(int): string", String],
  ["timestamp_to_string", "string(timestamp): string", formatTimestamp],
  ["uint64_to_string", "string(uint): string", ({ value }: Uint) => String(value)],

  ["timestamp_to_timestamp", "timestamp(timestamp): timestamp", returnUnchanged],
  ["int64_to_timestamp", "timestamp(int): timestamp", (seconds: bigint) => createTimestamp(seconds * 1_000_000_000n)],
  ["string_to_timestamp", "timestamp(string): timestamp", parseTimestampValue],

  ["uint64_to_uint64", "uint(uint): uint", returnUnchanged],
  [
    "double_to_uint64",
    "uint(double): uint",
    (value: number) => (Number.isFinite(value) ? checkUintRange(BigInt(Math.trunc(value))) : createFailure("unsigned integer overflow")),
  ],
  ["int64_to_uint64", "uint(int): uint", (value: bigint) => checkUintRange(value)],
  [
    "string_to_uint64",
    "uint(string): uint",
    (text: string) =>
      /^\d+$/.test(text) ? checkParsedRange(parseShortInteger(text) ?? OUT_OF_RANGE, "uint") : createConversionFailure("string", "uint"),
  ],
];

function checkIntRange(value: bigint): Value {
  return value < -(2n ** 63n) || value >= 2n ** 63n ? createFailure("integer overflow") : value;
}

function checkUintRange(value: bigint): Value {
  return value < 0n || value >= 2n ** 64n ? createFailure("unsigned integer overflow") : new Uint(value);
}

/** Stands for integers of more digits than any in range. */
const OUT_OF_RANGE = 2n ** 64n;

function checkParsedRange(value: bigint, type: "int" | "uint"): Value {
  const fits = type === "int" ? value >= -(2n ** 63n) && value < 2n ** 63n : value < 2n ** 64n;
  if (!fits) return createConversionFailure("string", type);
  return type === "int" ? value : new Uint(value);
}

function toBool(text: string): Value {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  return /^(0|f|F|false|FALSE|False)$/.test(text) ? false : createConversionFailure("string", "bool");
}

function toDouble(text: string): Value {
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : createConversionFailure("string", "double");
}

function floorSeconds(nanos: bigint): bigint {
  const seconds = nanos / 1_000_000_000n;
  return nanos % 1_000_000_000n < 0n ? seconds - 1n : seconds;
}

export function parseDurationValue(text: string): Value {
  const parsed = parseGoDuration(text);
  return "error" in parsed ? createConversionFailure("string", "google.protobuf.Duration") : new Duration(parsed.nanoseconds);
}

export function parseTimestampValue(text: string): Value {
  try {
    const { seconds, nanos } = parseTime(text);
    return createTimestamp(BigInt(seconds) * 1_000_000_000n + BigInt(nanos));
  } catch (error) {
    if (error instanceof DecodeError) return createConversionFailure("string", "google.protobuf.Timestamp");
    throw error;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(bytes: Uint8Array): Value {
  try {
    return utf8.decode(bytes);
  } catch {
    return createFailure("invalid UTF-8 in bytes, cannot convert to string");
  }
}

/** Formats a double as Go's %g does: exponents from 1e+21 on, with at least two digits. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e21)) return Object.is(value, -0) ? "-0" : String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
