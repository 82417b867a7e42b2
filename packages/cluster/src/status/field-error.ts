import { goJson, goNumber, goQuote } from "./go-text.ts";

/** One thing wrong with one field, in the words every Kubernetes client knows. */
export interface FieldError {
  readonly reason: FieldReason;
  /** "spec.containers[0].name"; empty for the object itself. */
  readonly field: string;
  /** Everything after "field: ", for example `Invalid value: 0: must be greater than 0`. */
  readonly detail: string;
}

export type FieldReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "FieldValueNotFound"
  | "InternalError";

/** Stands for a value that the text leaves out: `Invalid value: must be sorted`. */
export const OMITTED: unique symbol = Symbol("omitted");

/** A value that is printed as it stands, for Go structs: their fields keep the order of their declaration. */
export class Verbatim {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export const fieldError = {
  required: (field: string, detail = ""): FieldError => make("FieldValueRequired", field, "Required value", detail),
  invalid: (field: string, value: unknown, detail: string): FieldError =>
    make("FieldValueInvalid", field, withValue("Invalid value", value), detail),
  typeInvalid: (field: string, value: unknown, detail: string): FieldError =>
    make("FieldValueTypeInvalid", field, withValue("Invalid value", value), detail),
  notSupported: (field: string, value: unknown, supported: readonly string[]): FieldError =>
    make(
      "FieldValueNotSupported",
      field,
      withValue("Unsupported value", value),
      supported.length === 0 ? "" : `supported values: ${supported.map(goQuote).join(", ")}`,
    ),
  duplicate: (field: string, value: unknown): FieldError => make("FieldValueDuplicate", field, withValue("Duplicate value", value), ""),
  forbidden: (field: string, detail: string): FieldError => make("FieldValueForbidden", field, "Forbidden", detail),
  tooLong: (field: string, max: number): FieldError =>
    make("FieldValueTooLong", field, "Too long", `may not be more than ${max} ${max === 1 ? "byte" : "bytes"}`),
  tooMany: (field: string, actual: number, max: number): FieldError =>
    make("FieldValueTooMany", field, `Too many: ${actual}`, `must have at most ${max} ${max === 1 ? "item" : "items"}`),
  notFound: (field: string, value: unknown): FieldError => make("FieldValueNotFound", field, withValue("Not found", value), ""),
  internal: (field: string, detail: string): FieldError => make("InternalError", field, "Internal error", detail),
};

export function fieldErrorText(error: FieldError): string {
  return error.field === "" ? error.detail : `${error.field}: ${error.detail}`;
}

function make(reason: FieldReason, field: string, what: string, detail: string): FieldError {
  return { reason, field, detail: detail === "" ? what : `${what}: ${detail}` };
}

function withValue(what: string, value: unknown): string {
  if (value === OMITTED) return what;
  if (value instanceof Verbatim) return `${what}: ${value.text}`;
  if (typeof value === "string") return `${what}: ${goQuote(value)}`;
  if (typeof value === "number" || typeof value === "bigint") return `${what}: ${goNumber(value)}`;
  return `${what}: ${goJson(value)}`;
}
