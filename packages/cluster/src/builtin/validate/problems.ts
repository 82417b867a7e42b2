import { equal } from "pintle/merge";
import { dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems } from "../../api/index.ts";
import { type FieldError, fieldError, OMITTED } from "../../status/index.ts";
import { ipProblems } from "../text/addresses.ts";
import { portNameProblems, portNumberProblems } from "../text/names.ts";
import { nanos } from "../text/quantities.ts";

/** What is wrong, in the order the server finds it. */
export type Problems = Iterable<FieldError>;

type Optional<T> = T | null | undefined;

/** Each text is a reason why the value is invalid. */
export function* invalidFor(field: string, value: unknown, texts: readonly string[]): Problems {
  for (const text of texts) yield fieldError.invalid(field, value, text);
}

export const dnsLabel = (field: string, value: string): Problems => invalidFor(field, value, dnsLabelProblems(value));
export const dnsSubdomain = (field: string, value: string): Problems => invalidFor(field, value, dnsSubdomainProblems(value));
export const qualifiedName = (field: string, value: string): Problems => invalidFor(field, value, qualifiedNameProblems(value));
export const ipAddress = (field: string, value: string): Problems => invalidFor(field, value, ipProblems(value));

export function* required(field: string, value: unknown, detail = ""): Problems {
  const missing = value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
  if (missing) yield fieldError.required(field, detail);
}

/** Required, and one of a few values. */
export function* oneOf(field: string, value: Optional<string>, supported: readonly string[]): Problems {
  if (!value) yield fieldError.required(field);
  else if (!supported.includes(value)) yield fieldError.notSupported(field, value, supported);
}

/** One of a few values, if it is there. */
export function* maybeOneOf(field: string, value: Optional<string>, supported: readonly string[]): Problems {
  if (value !== undefined && value !== null && !supported.includes(value)) yield fieldError.notSupported(field, value, supported);
}

export function* nonnegative(field: string, value: Optional<number>): Problems {
  if (value != null && value < 0) yield fieldError.invalid(field, value, "must be greater than or equal to 0");
}

export function* positive(field: string, value: Optional<number>): Problems {
  if (value != null && value <= 0) yield fieldError.invalid(field, value, "must be greater than 0");
}

export function* nonnegativeQuantity(field: string, value: string): Problems {
  if (nanos(value) < 0n) yield fieldError.invalid(field, value, "must be greater than or equal to 0");
}

export function* portNumberOrName(field: string, value: Optional<number | string>): Problems {
  if (typeof value === "string") yield* invalidFor(field, value, portNameProblems(value));
  else yield* invalidFor(field, value ?? 0, portNumberProblems(value ?? 0));
}

/** Where the server shows a value of a type it does not publish: fields in the order given here. */
export function innerInvalid(field: string, value: object, why: string): FieldError {
  const error = fieldError.invalid(field, OMITTED, why);
  return { ...error, detail: error.detail.replace("Invalid value", `Invalid value: ${JSON.stringify(value)}`) };
}

export function innerDuplicate(field: string, value: object): FieldError {
  const error = fieldError.duplicate(field, OMITTED);
  return { ...error, detail: `${error.detail}: ${JSON.stringify(value)}` };
}

export function innerNotSupported(field: string, value: object, supported: readonly string[]): FieldError {
  const error = fieldError.notSupported(field, OMITTED, supported);
  return { ...error, detail: error.detail.replace("Unsupported value", `Unsupported value: ${JSON.stringify(value)}`) };
}

/** A field that may not change. */
export function* immutable(field: string, next: unknown, live: unknown): Problems {
  if (same(next, live)) return;
  const why = "field is immutable";
  const { matchLabels, matchExpressions } = (next ?? {}) as Readonly<Record<string, unknown>>;
  if (matchLabels && matchExpressions) yield innerInvalid(field, { matchLabels, matchExpressions }, why);
  else yield fieldError.invalid(field, next ?? null, why);
}

/** What Go's semantic equality says: missing, null and empty are the same. */
export function same(a: unknown, b: unknown): boolean {
  return equal((isNothing(a) ? null : a) as never, (isNothing(b) ? null : b) as never);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}
