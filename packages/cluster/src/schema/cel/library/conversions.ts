import { DecodeError, parseTime } from "../../decode/index.ts";
import { parseDuration } from "../../text/go-duration.ts";
import type { Declared } from "../check/functions.ts";
import { Duration, fail, type Timestamp, TypeValue, typeName, Uint, type Value } from "../values/value.ts";
import { durationText, timestampText, toTimestamp } from "./time.ts";

const same = (value: Value): Value => value;
const cannot = (from: string, to: string): Value => fail(`type conversion error from '${from}' to '${to}'`);

export const conversions: readonly Declared[] = [
  ["type", "type(A): type(A)", (value: Value) => new TypeValue(typeName(value))],
  ["to_dyn", "dyn(A): dyn", same],

  ["bool_to_bool", "bool(bool): bool", same],
  ["string_to_bool", "bool(string): bool", toBool],

  ["bytes_to_bytes", "bytes(bytes): bytes", same],
  ["string_to_bytes", "bytes(string): bytes", (text: string) => new TextEncoder().encode(text)],

  ["double_to_double", "double(double): double", same],
  ["int64_to_double", "double(int): double", (value: bigint) => Number(value)],
  ["string_to_double", "double(string): double", toDouble],
  ["uint64_to_double", "double(uint): double", ({ value }: Uint) => Number(value)],

  ["duration_to_duration", "duration(duration): duration", same],
  // Declared, but never implemented.
  ["int64_to_duration", "duration(int): duration", () => cannot("int", "google.protobuf.Duration")],
  ["string_to_duration", "duration(string): duration", readDuration],

  ["int64_to_int64", "int(int): int", same],
  [
    "double_to_int64",
    "int(double): int",
    (value: number) => (Number.isFinite(value) ? fitInt(BigInt(Math.trunc(value))) : fail("integer overflow")),
  ],
  ["duration_to_int64", "int(duration): int", ({ nanos }: Duration) => nanos],
  [
    "string_to_int64",
    "int(string): int",
    (text: string) => (/^[+-]?\d+$/.test(text) ? fitText(BigInt(text), "int") : cannot("string", "int")),
  ],
  ["timestamp_to_int64", "int(timestamp): int", ({ nanos }: Timestamp) => floorSeconds(nanos)],
  ["uint64_to_int64", "int(uint): int", ({ value }: Uint) => fitInt(value)],

  ["string_to_string", "string(string): string", same],
  ["bool_to_string", "string(bool): string", String],
  ["bytes_to_string", "string(bytes): string", toText],
  ["double_to_string", "string(double): string", doubleText],
  ["duration_to_string", "string(duration): string", durationText],
  ["int64_to_string", "string(int): string", String],
  ["timestamp_to_string", "string(timestamp): string", timestampText],
  ["uint64_to_string", "string(uint): string", ({ value }: Uint) => String(value)],

  ["timestamp_to_timestamp", "timestamp(timestamp): timestamp", same],
  ["int64_to_timestamp", "timestamp(int): timestamp", (seconds: bigint) => toTimestamp(seconds * 1_000_000_000n)],
  ["string_to_timestamp", "timestamp(string): timestamp", readTimestamp],

  ["uint64_to_uint64", "uint(uint): uint", same],
  [
    "double_to_uint64",
    "uint(double): uint",
    (value: number) => (Number.isFinite(value) ? fitUint(BigInt(Math.trunc(value))) : fail("unsigned integer overflow")),
  ],
  ["int64_to_uint64", "uint(int): uint", (value: bigint) => fitUint(value)],
  [
    "string_to_uint64",
    "uint(string): uint",
    (text: string) => (/^\d+$/.test(text) ? fitText(BigInt(text), "uint") : cannot("string", "uint")),
  ],
];

function fitInt(value: bigint): Value {
  return value < -(2n ** 63n) || value >= 2n ** 63n ? fail("integer overflow") : value;
}

function fitUint(value: bigint): Value {
  return value < 0n || value >= 2n ** 64n ? fail("unsigned integer overflow") : new Uint(value);
}

function fitText(value: bigint, type: "int" | "uint"): Value {
  const fits = type === "int" ? value >= -(2n ** 63n) && value < 2n ** 63n : value < 2n ** 64n;
  if (!fits) return cannot("string", type);
  return type === "int" ? value : new Uint(value);
}

function toBool(text: string): Value {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  return /^(0|f|F|false|FALSE|False)$/.test(text) ? false : cannot("string", "bool");
}

function toDouble(text: string): Value {
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : cannot("string", "double");
}

function floorSeconds(nanos: bigint): bigint {
  const seconds = nanos / 1_000_000_000n;
  return nanos % 1_000_000_000n < 0n ? seconds - 1n : seconds;
}

export function readDuration(text: string): Value {
  const nanos = parseDuration(text);
  return nanos === undefined ? cannot("string", "google.protobuf.Duration") : new Duration(nanos);
}

export function readTimestamp(text: string): Value {
  try {
    const { seconds, nanos } = parseTime(text);
    return toTimestamp(BigInt(seconds) * 1_000_000_000n + BigInt(nanos));
  } catch (error) {
    if (error instanceof DecodeError) return cannot("string", "google.protobuf.Timestamp");
    throw error;
  }
}

function toText(bytes: Uint8Array): Value {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return fail("invalid UTF-8 in bytes, cannot convert to string");
  }
}

/** %g: exponents from 1e+21 on for doubles without precision, two digits at least. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e21)) return Object.is(value, -0) ? "-0" : String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
