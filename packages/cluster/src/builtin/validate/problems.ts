import type { LabelSelector } from "pintle/kinds";
import { equal } from "pintle/merge";
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  type FieldError,
  fieldError,
  qualifiedNameProblems,
  Verbatim,
} from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { ipProblems } from "../text/addresses.ts";
import { portNameProblems, portNumberProblems } from "../text/names.ts";
import { nanos } from "../text/quantities.ts";

/** What is wrong, in the order the server finds it. */
export type Problems = Iterable<FieldError>;

type Optional<T> = T | null | undefined;

/** Most values are fine, and to say so costs nothing. */
const FINE: readonly FieldError[] = [];

/** Each text is a reason why the value is invalid. */
export function invalidFor(field: string, value: unknown, texts: readonly string[]): Problems {
  return texts.length === 0 ? FINE : texts.map((text) => fieldError.invalid(field, value, text));
}

export const dnsLabel = (field: string, value: string): Problems => invalidFor(field, value, dnsLabelProblems(value));
export const dnsSubdomain = (field: string, value: string): Problems => invalidFor(field, value, dnsSubdomainProblems(value));
export const qualifiedName = (field: string, value: string): Problems => invalidFor(field, value, qualifiedNameProblems(value));
export const ipAddress = (field: string, value: string): Problems => invalidFor(field, value, ipProblems(value));

export function required(field: string, value: unknown, detail = ""): Problems {
  const missing = value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return missing ? [fieldError.required(field, detail)] : FINE;
}

/** Required, and one of a few values. */
export function oneOf(field: string, value: Optional<string>, supported: readonly string[]): Problems {
  if (!value) return [fieldError.required(field)];
  return supported.includes(value) ? FINE : [fieldError.notSupported(field, value, supported)];
}

/** One of a few values, if it is there. */
export function maybeOneOf(field: string, value: Optional<string>, supported: readonly string[]): Problems {
  const fine = value === undefined || value === null || supported.includes(value);
  return fine ? FINE : [fieldError.notSupported(field, value, supported)];
}

export function nonnegative(field: string, value: Optional<number>): Problems {
  return value != null && value < 0 ? [fieldError.invalid(field, value, "must be greater than or equal to 0")] : FINE;
}

export function positive(field: string, value: Optional<number>): Problems {
  return value != null && value <= 0 ? [fieldError.invalid(field, value, "must be greater than 0")] : FINE;
}

export function nonnegativeQuantity(field: string, value: string): Problems {
  return nanos(value) < 0n ? [fieldError.invalid(field, value, "must be greater than or equal to 0")] : FINE;
}

export function portNumberOrName(field: string, value: Optional<number | string>): Problems {
  if (typeof value === "string") return invalidFor(field, value, portNameProblems(value));
  return invalidFor(field, value ?? 0, portNumberProblems(value ?? 0));
}

/** Where the server shows a value of a type it does not publish: fields in the order given here. */
export const inner = (value: object) => new Verbatim(JSON.stringify(value));

/** A field that may not change. */
export function* immutable(field: string, next: unknown, live: unknown): Problems {
  if (same(next, live)) return;
  yield fieldError.invalid(field, isSelector(next) ? shownSelector(next) : (next ?? null), "field is immutable");
}

const isSelector = (value: unknown): value is Loose<LabelSelector> =>
  typeof value === "object" && value !== null && ("matchLabels" in value || "matchExpressions" in value);

/** As Go prints a label selector. */
export function shownSelector(selector: Loose<LabelSelector> | null | undefined): Verbatim {
  const { matchLabels, matchExpressions } = selector ?? {};
  const requirements = matchExpressions?.map(({ key, operator, values }) => ({ key, operator, values }));
  const labels = matchLabels && Object.fromEntries(Object.entries(matchLabels).sort(([a], [b]) => (a < b ? -1 : 1)));
  return new Verbatim(JSON.stringify({ matchLabels: labels ?? undefined, matchExpressions: requirements }));
}

/** What Go's semantic equality says: missing, null and empty are the same. */
export function same(a: unknown, b: unknown): boolean {
  return equal((isNothing(a) ? null : a) as never, (isNothing(b) ? null : b) as never);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}
