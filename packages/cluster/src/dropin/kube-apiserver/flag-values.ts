import { isIP } from "node:net";
import { parseGoDuration } from "pintle/internal/go-format";

const BOOLEANS = ["1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"];

type ValueCheck = (value: string) => string | undefined;

const CHECKS: Readonly<Record<string, ValueCheck>> = {
  bool: (value) => (BOOLEANS.includes(value) ? undefined : syntaxError("ParseBool", value)),
  int: (value) => validateInteger("ParseInt", value, -(2n ** 63n), 2n ** 63n - 1n),
  Level: (value) => validateInteger("ParseUint", value, 0n, 2n ** 31n - 1n),
  float: validateFloat,
  float32: validateFloat,
  duration: validateDuration,
  ip: (value) => (isIP(value.trim()) === 0 && value !== "" ? `failed to parse IP: ${JSON.stringify(value)}` : undefined),
  portRange: validatePortRange,
  stringToString: (value) => {
    const invalid = value.split(",").find((each) => each !== "" && !each.includes("="));
    return invalid === undefined ? undefined : `${invalid} must be formatted as key=value`;
  },
};

/** Returns Go's error message for a flag value of a type; undefined if it is valid. */
export function validateFlagValue(type: string, value: string): string | undefined {
  return CHECKS[type]?.(value);
}

function syntaxError(by: string, value: string): string {
  return `strconv.${by}: parsing ${JSON.stringify(value)}: invalid syntax`;
}

function validateInteger(by: string, value: string, least: bigint, most: bigint): string | undefined {
  const form = by === "ParseUint" ? /^(0x[0-9a-f]+|\d+)$/i : /^[+-]?(0x[0-9a-f]+|\d+)$/i;
  if (!form.test(value)) return syntaxError(by, value);
  const number = BigInt(value.replace(/^[+-]/, "")) * (value.startsWith("-") ? -1n : 1n);
  return number < least || number > most ? `strconv.${by}: parsing ${JSON.stringify(value)}: value out of range` : undefined;
}

function validateFloat(value: string): string | undefined {
  return value.trim() === value && value !== "" && !Number.isNaN(Number(value)) ? undefined : syntaxError("ParseFloat", value);
}

/** Returns Go's error message for an invalid duration; undefined if it is valid. */
export function validateDuration(text: string): string | undefined {
  const parsed = parseGoDuration(text);
  return "error" in parsed ? parsed.error : undefined;
}

/** Parses a valid duration of Go into seconds. */
export function parseDurationSeconds(text: string): number {
  const parsed = parseGoDuration(text);
  return "error" in parsed ? 0 : Number(parsed.nanoseconds) / 1e9;
}

function validatePortRange(value: string): string | undefined {
  const bounds = value.trim().split("-");
  const invalid = bounds.find((each) => !/^\d+$/.test(each.trim()));
  if (invalid !== undefined) return syntaxError("Atoi", invalid);
  const [first = 0, last = first] = bounds.map(Number);
  if (last < first) return `end port cannot be less than start port: ${value}`;
  return last > 65535 ? `the port range cannot be greater than 65535: ${value}` : undefined;
}
