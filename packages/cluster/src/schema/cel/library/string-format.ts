import {
  createFailure,
  Duration,
  Failure,
  getTypeName,
  ListValue,
  MapValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../values/value.ts";
import { formatDouble } from "./conversions.ts";
import { formatDuration, formatTimestamp } from "./time.ts";

/** Implements `"%s is %d".format([...])` with %s %d %f %e %b %x %X %o %% and precisions such as %.2f. */
export function formatString(format: string, args: ListValue): Value {
  let text = "";
  let next = 0;
  let last = 0;
  for (const match of format.matchAll(/%(?:%|(?:\.(\d+))?([a-zA-Z])|)/g)) {
    text += format.slice(last, match.index);
    last = match.index + match[0].length;
    if (match[0] === "%%") {
      text += "%";
      continue;
    }
    const verb = match[2];
    if (verb === undefined) return createFailure("unexpected end of string");
    if (next >= args.size) return createFailure(`index ${next} out of range`);
    const written = formatValue(verb, args.at(next++), match[1] === undefined ? 6 : Number(match[1]));
    if (written instanceof Failure)
      return written.message.startsWith("could not") ? written : createFailure(`error during formatting: ${written.message}`);
    text += written;
  }
  return text + format.slice(last);
}

/** Returns the verbs of a format string, one for each argument. */
export function parseFormatVerbs(format: string): string[] {
  return [...format.matchAll(/%(?:%|(?:\.\d+)?([a-zA-Z]))/g)].flatMap(([whole, verb]) => (whole === "%%" ? [] : [verb!]));
}

const sampleValues: Readonly<Record<string, Value>> = {
  string: "",
  int: 0n,
  uint: new Uint(0n),
  double: 0,
  bool: false,
  bytes: new Uint8Array(),
  null: null,
  duration: new Duration(0n),
  timestamp: new Timestamp(0n),
};

/** Returns why values of a type cannot be formatted with a verb; undefined if they can, or if the type is dynamic. */
export function checkFormatVerb(verb: string, type: string): string | undefined {
  const sample = sampleValues[type];
  const written = sample === undefined ? "" : formatValue(verb, sample, 6);
  if (!(written instanceof Failure)) return undefined;
  return written.message.startsWith("could not") ? written.message : `error during formatting: ${written.message}`;
}

function formatValue(verb: string, value: Value, precision: number): string | Failure {
  switch (verb) {
    case "s":
      return formatPlain(value);
    case "d":
      return formatDecimal(value);
    case "f":
      return formatReal(value, "f", (number) => number.toFixed(precision));
    case "e":
      return formatReal(value, "e", (number) => number.toExponential(precision).replace(/e([+-])(\d)$/, "e$10$2"));
    case "b":
      return typeof value === "boolean" ? String(Number(value)) : formatInBase(value, 2, "integers and bools can be formatted as binary");
    case "o":
      return formatInBase(value, 8, "octal clause can only be used on integers");
    case "x":
    case "X":
      return formatHexadecimal(value, verb === "X");
    default:
      return createFailure(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function toInteger(value: Value): bigint | undefined {
  return typeof value === "bigint" ? value : value instanceof Uint ? value.value : undefined;
}

function formatDecimal(value: Value): string | Failure {
  const whole = toInteger(value);
  if (whole !== undefined) return String(whole);
  return createFailure(`decimal clause can only be used on integers, was given ${getTypeName(value)}`);
}

function formatReal(value: Value, verb: string, print: (value: number) => string): string | Failure {
  if (typeof value !== "number") {
    const clause = verb === "f" ? "fixed-point" : "scientific";
    return createFailure(`${clause} clause can only be used on doubles, was given ${getTypeName(value)}`);
  }
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? print(value) : value > 0 ? "∞" : "-∞";
}

function formatInBase(value: Value, base: number, only: string): string | Failure {
  const whole = toInteger(value);
  return whole === undefined ? createFailure(`only ${only}, was given ${getTypeName(value)}`) : whole.toString(base);
}

function formatHexadecimal(value: Value, upper: boolean): string | Failure {
  const whole = toInteger(value);
  const bytes = typeof value === "string" ? Buffer.from(value) : value instanceof Uint8Array ? Buffer.from(value) : undefined;
  if (whole === undefined && bytes === undefined) {
    return createFailure(`only integers, byte buffers, and strings can be formatted as hex, was given ${getTypeName(value)}`);
  }
  const text = whole?.toString(16) ?? bytes!.toString("hex");
  return upper ? text.toUpperCase() : text;
}

function formatPlain(value: Value, quoted = false): string | Failure {
  if (typeof value === "string") return quoted ? `"${value}"` : value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return formatDouble(value);
  if (value === null) return "null";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Duration) return quoted ? `duration("${formatDuration(value)}")` : formatDuration(value);
  if (value instanceof Timestamp) return quoted ? `timestamp("${formatTimestamp(value)}")` : formatTimestamp(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue)
    return joinFormatted(
      [...value.values()].map((item) => formatPlain(item, true)),
      "[",
      "]",
    );
  if (value instanceof MapValue) return formatMap(value);
  return createFailure(
    `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${getTypeName(value)}`,
  );
}

function formatMap(map: MapValue): string | Failure {
  const pairs = [...map.keys()].map((key) => {
    const [left, right] = [formatPlain(key, true), formatPlain(map.find(key)!, true)];
    return typeof left === "string" && typeof right === "string" ? `${left}:${right}` : typeof left === "string" ? right : left;
  });
  return joinFormatted([...pairs].sort(), "{", "}");
}

function joinFormatted(parts: readonly (string | Failure)[], open: string, close: string): string | Failure {
  const failure = parts.find((part) => part instanceof Failure);
  return failure ?? `${open}${parts.join(", ")}${close}`;
}
