import { Duration, Failure, fail, ListValue, MapValue, Timestamp, TypeValue, typeName, Uint, type Value } from "../values/value.ts";
import { doubleText } from "./conversions.ts";
import { durationText, timestampText } from "./time.ts";

/** "%s is %d".format([...]): %s %d %f %e %b %x %X %o %%, with %.2f and the like. */
export function formatText(format: string, args: ListValue): Value {
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
    if (verb === undefined) return fail("unexpected end of string");
    if (next >= args.size) return fail(`index ${next} out of range`);
    const written = write(verb, args.at(next++), match[1] === undefined ? 6 : Number(match[1]));
    if (written instanceof Failure)
      return written.message.startsWith("could not") ? written : fail(`error during formatting: ${written.message}`);
    text += written;
  }
  return text + format.slice(last);
}

/** The verbs of a format, one for each argument it takes. */
export function formatClauses(format: string): string[] {
  return [...format.matchAll(/%(?:%|(?:\.\d+)?([a-zA-Z]))/g)].flatMap(([whole, verb]) => (whole === "%%" ? [] : [verb!]));
}

const samples: Readonly<Record<string, Value>> = {
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

/** Why values of a type cannot be printed so; undefined when they can, or when nobody knows. */
export function clauseProblem(verb: string, type: string): string | undefined {
  const sample = samples[type];
  const written = sample === undefined ? "" : write(verb, sample, 6);
  if (!(written instanceof Failure)) return undefined;
  return written.message.startsWith("could not") ? written.message : `error during formatting: ${written.message}`;
}

function write(verb: string, value: Value, precision: number): string | Failure {
  switch (verb) {
    case "s":
      return plain(value);
    case "d":
      return decimal(value);
    case "f":
      return real(value, "f", (number) => number.toFixed(precision));
    case "e":
      return real(value, "e", (number) => number.toExponential(precision).replace(/e([+-])(\d)$/, "e$10$2"));
    case "b":
      return typeof value === "boolean" ? String(Number(value)) : inBase(value, 2, "integers and bools can be formatted as binary");
    case "o":
      return inBase(value, 8, "octal clause can only be used on integers");
    case "x":
    case "X":
      return hexadecimal(value, verb === "X");
    default:
      return fail(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function integer(value: Value): bigint | undefined {
  return typeof value === "bigint" ? value : value instanceof Uint ? value.value : undefined;
}

function decimal(value: Value): string | Failure {
  const whole = integer(value);
  if (whole !== undefined) return String(whole);
  return fail(`decimal clause can only be used on integers, was given ${typeName(value)}`);
}

function real(value: Value, verb: string, print: (value: number) => string): string | Failure {
  if (typeof value !== "number") {
    const clause = verb === "f" ? "fixed-point" : "scientific";
    return fail(`${clause} clause can only be used on doubles, was given ${typeName(value)}`);
  }
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? print(value) : value > 0 ? "∞" : "-∞";
}

function inBase(value: Value, base: number, only: string): string | Failure {
  const whole = integer(value);
  return whole === undefined ? fail(`only ${only}, was given ${typeName(value)}`) : whole.toString(base);
}

function hexadecimal(value: Value, upper: boolean): string | Failure {
  const whole = integer(value);
  const bytes = typeof value === "string" ? Buffer.from(value) : value instanceof Uint8Array ? Buffer.from(value) : undefined;
  if (whole === undefined && bytes === undefined) {
    return fail(`only integers, byte buffers, and strings can be formatted as hex, was given ${typeName(value)}`);
  }
  const text = whole?.toString(16) ?? bytes!.toString("hex");
  return upper ? text.toUpperCase() : text;
}

function plain(value: Value, quoted = false): string | Failure {
  if (typeof value === "string") return quoted ? `"${value}"` : value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return doubleText(value);
  if (value === null) return "null";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Duration) return quoted ? `duration("${durationText(value)}")` : durationText(value);
  if (value instanceof Timestamp) return quoted ? `timestamp("${timestampText(value)}")` : timestampText(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue)
    return joined(
      [...value.values()].map((item) => plain(item, true)),
      "[",
      "]",
    );
  if (value instanceof MapValue) return mapText(value);
  return fail(
    `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeName(value)}`,
  );
}

function mapText(map: MapValue): string | Failure {
  const pairs = [...map.keys()].map((key) => {
    const [left, right] = [plain(key, true), plain(map.find(key)!, true)];
    return typeof left === "string" && typeof right === "string" ? `${left}:${right}` : typeof left === "string" ? right : left;
  });
  return joined([...pairs].sort(), "{", "}");
}

function joined(parts: readonly (string | Failure)[], open: string, close: string): string | Failure {
  const failure = parts.find((part) => part instanceof Failure);
  return failure ?? `${open}${parts.join(", ")}${close}`;
}
