import { isIP } from "node:net";

const TRUTHS = ["1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"];
const UNITS = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"];

type Check = (value: string) => string | undefined;

const CHECKS: Readonly<Record<string, Check>> = {
  bool: (value) => (TRUTHS.includes(value) ? undefined : syntax("ParseBool", value)),
  int: (value) => whole("ParseInt", value, -(2n ** 63n), 2n ** 63n - 1n),
  Level: (value) => whole("ParseUint", value, 0n, 2n ** 31n - 1n),
  float: float,
  float32: float,
  duration: durationProblem,
  ip: (value) => (isIP(value.trim()) === 0 && value !== "" ? `failed to parse IP: ${JSON.stringify(value)}` : undefined),
  portRange,
  stringToString: (value) => {
    const wrong = value.split(",").find((each) => each !== "" && !each.includes("="));
    return wrong === undefined ? undefined : `${wrong} must be formatted as key=value`;
  },
};

/** What is wrong with a flag's value for its type, in Go's words; undefined: nothing. */
export function valueProblem(type: string, value: string): string | undefined {
  return CHECKS[type]?.(value);
}

function syntax(by: string, value: string): string {
  return `strconv.${by}: parsing ${JSON.stringify(value)}: invalid syntax`;
}

function whole(by: string, value: string, least: bigint, most: bigint): string | undefined {
  const form = by === "ParseUint" ? /^(0x[0-9a-f]+|\d+)$/i : /^[+-]?(0x[0-9a-f]+|\d+)$/i;
  if (!form.test(value)) return syntax(by, value);
  const number = BigInt(value.replace(/^[+-]/, "")) * (value.startsWith("-") ? -1n : 1n);
  return number < least || number > most ? `strconv.${by}: parsing ${JSON.stringify(value)}: value out of range` : undefined;
}

function float(value: string): string | undefined {
  return value.trim() === value && value !== "" && !Number.isNaN(Number(value)) ? undefined : syntax("ParseFloat", value);
}

/** What Go says of a text that is no span of time; undefined when it is one. */
export function durationProblem(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  const parts = text.replace(/^[+-]/, "");
  if (parts === "0") return undefined;
  if (parts === "") return `time: invalid duration ${quoted}`;
  let rest = parts;
  while (rest !== "") {
    const number = /^(\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) return `time: invalid duration ${quoted}`;
    rest = rest.slice(number.length);
    const unit = /^[^\d.]*/.exec(rest)?.[0] ?? "";
    if (unit === "") return `time: missing unit in duration ${quoted}`;
    if (!UNITS.includes(unit)) return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    rest = rest.slice(unit.length);
  }
  return undefined;
}

/** Seconds in a span of time as Go writes it. */
export function seconds(text: string): number {
  const of: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, μs: 1e-6, ns: 1e-9 };
  const sum = [...text.matchAll(/([\d.]+)([^\d.]+)/g)].reduce((all, [, n, unit]) => all + Number(n) * (of[unit as string] as number), 0);
  return text.startsWith("-") ? -sum : sum;
}

function portRange(value: string): string | undefined {
  const bounds = value.trim().split("-");
  const wrong = bounds.find((each) => !/^\d+$/.test(each.trim()));
  if (wrong !== undefined) return syntax("Atoi", wrong);
  const [first = 0, last = first] = bounds.map(Number);
  if (last < first) return `end port cannot be less than start port: ${value}`;
  return last > 65535 ? `the port range cannot be greater than 65535: ${value}` : undefined;
}
