import { stringifyJson } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";
import type { LabelSelector } from "pintle/kinds";
import {
  type FieldError,
  fieldError,
  VerbatimValue,
  validateDnsLabel,
  validateDnsSubdomain,
  validateQualifiedName,
} from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { nanos } from "../quantities.ts";
import { validateIp } from "./ip-address.ts";
import { validatePortName, validatePortNumber } from "./names.ts";

/** Field errors in the order of kube-apiserver. */
export type FieldErrors = Iterable<FieldError>;

type Nullish<T> = T | null | undefined;

/** Shared result for valid values, which avoids allocations. */
const NO_ERRORS: readonly FieldError[] = [];

/** Creates one Invalid error per detail. */
export function createInvalidErrors(field: string, value: unknown, details: readonly string[]): FieldErrors {
  return details.length === 0 ? NO_ERRORS : details.map((text) => fieldError.invalid(field, value, text));
}

export const validateDnsLabelField = (field: string, value: string): FieldErrors =>
  createInvalidErrors(field, value, validateDnsLabel(value));
export const validateDnsSubdomainField = (field: string, value: string): FieldErrors =>
  createInvalidErrors(field, value, validateDnsSubdomain(value));
export const validateQualifiedNameField = (field: string, value: string): FieldErrors =>
  createInvalidErrors(field, value, validateQualifiedName(value));
export const validateIpAddressField = (field: string, value: string): FieldErrors => createInvalidErrors(field, value, validateIp(value));

export function validateRequired(field: string, value: unknown, detail = ""): FieldErrors {
  const missing = value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return missing ? [fieldError.required(field, detail)] : NO_ERRORS;
}

/** Validates a required enum value. */
export function validateRequiredEnum(field: string, value: Nullish<string>, supported: readonly string[]): FieldErrors {
  if (!value) return [fieldError.required(field)];
  return supported.includes(value) ? NO_ERRORS : [fieldError.notSupported(field, value, supported)];
}

/** Validates an optional enum value. */
export function validateEnum(field: string, value: Nullish<string>, supported: readonly string[]): FieldErrors {
  const fine = value === undefined || value === null || supported.includes(value);
  return fine ? NO_ERRORS : [fieldError.notSupported(field, value, supported)];
}

export function validateNonnegative(field: string, value: Nullish<number>): FieldErrors {
  return value != null && value < 0 ? [fieldError.invalid(field, value, "must be greater than or equal to 0")] : NO_ERRORS;
}

export function validatePositive(field: string, value: Nullish<number>): FieldErrors {
  return value != null && value <= 0 ? [fieldError.invalid(field, value, "must be greater than 0")] : NO_ERRORS;
}

export function validateNonnegativeQuantity(field: string, value: string): FieldErrors {
  return nanos(value) < 0n ? [fieldError.invalid(field, value, "must be greater than or equal to 0")] : NO_ERRORS;
}

export function validatePortNumberOrName(field: string, value: Nullish<number | string>): FieldErrors {
  if (typeof value === "string") return createInvalidErrors(field, value, validatePortName(value));
  return createInvalidErrors(field, value ?? 0, validatePortNumber(value ?? 0));
}

/** Prints a value of an internal type, with its fields in the given order. */
export const printInternal = (value: object) => new VerbatimValue(stringifyJson(value));

/** Requires that a field does not change. */
export function* validateImmutableField(field: string, next: unknown, live: unknown): FieldErrors {
  if (isSemanticallyEqual(next, live)) return;
  yield fieldError.invalid(field, isLabelSelector(next) ? printSelector(next) : (next ?? null), "field is immutable");
}

const isLabelSelector = (value: unknown): value is Unvalidated<LabelSelector> =>
  typeof value === "object" && value !== null && ("matchLabels" in value || "matchExpressions" in value);

/** Prints a label selector as Go does. */
export function printSelector(selector: Unvalidated<LabelSelector> | null | undefined): VerbatimValue {
  const { matchLabels, matchExpressions } = selector ?? {};
  const requirements = matchExpressions?.map(({ key, operator, values }) => ({ key, operator, values }));
  const labels = matchLabels && Object.fromEntries(Object.entries(matchLabels).sort(([a], [b]) => (a < b ? -1 : 1)));
  return new VerbatimValue(JSON.stringify({ matchLabels: labels ?? undefined, matchExpressions: requirements }));
}

/** Compares with the semantic equality of apimachinery: missing, null and empty are equal. */
export function isSemanticallyEqual(a: unknown, b: unknown): boolean {
  return isJsonEqual((isEmptyValue(a) ? null : a) as never, (isEmptyValue(b) ? null : b) as never);
}

function isEmptyValue(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}
