import { encodeGoJson, formatGoNumber, quoteGoString } from "pintle/internal/go-format";

/** A validation error of one field, with the text of upstream. */
export interface FieldError {
  /** The kind of the error. */
  readonly reason: FieldErrorReason;
  /** For example "spec.containers[0].name"; empty for the object itself. */
  readonly field: string;
  /** Text after "field: ", for example `Invalid value: 0: must be greater than 0`. */
  readonly detail: string;
}

/** The reason of a field error, as in the causes of a Status. */
export type FieldErrorReason =
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

/** Placeholder of a value that the text omits: `Invalid value: must be sorted`. */
export const OMITTED_VALUE: unique symbol = Symbol("omitted");

/** A value printed verbatim, for Go structs whose fields keep their declaration order. */
export class VerbatimValue {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export const fieldError = {
  required: (field: string, detail = ""): FieldError => createFieldError("FieldValueRequired", field, "Required value", detail),
  invalid: (field: string, value: unknown, detail: string): FieldError =>
    createFieldError("FieldValueInvalid", field, formatWithValue("Invalid value", value), detail),
  typeInvalid: (field: string, value: unknown, detail: string): FieldError =>
    createFieldError("FieldValueTypeInvalid", field, formatWithValue("Invalid value", value), detail),
  notSupported: (field: string, value: unknown, supported: readonly string[]): FieldError =>
    createFieldError(
      "FieldValueNotSupported",
      field,
      formatWithValue("Unsupported value", value),
      supported.length === 0 ? "" : `supported values: ${supported.map(quoteGoString).join(", ")}`,
    ),
  duplicate: (field: string, value: unknown): FieldError =>
    createFieldError("FieldValueDuplicate", field, formatWithValue("Duplicate value", value), ""),
  forbidden: (field: string, detail: string): FieldError => createFieldError("FieldValueForbidden", field, "Forbidden", detail),
  tooLong: (field: string, max: number): FieldError =>
    createFieldError("FieldValueTooLong", field, "Too long", `may not be more than ${max} ${max === 1 ? "byte" : "bytes"}`),
  tooMany: (field: string, actual: number, max: number): FieldError =>
    createFieldError("FieldValueTooMany", field, `Too many: ${actual}`, `must have at most ${max} ${max === 1 ? "item" : "items"}`),
  notFound: (field: string, value: unknown): FieldError =>
    createFieldError("FieldValueNotFound", field, formatWithValue("Not found", value), ""),
  internal: (field: string, detail: string): FieldError => createFieldError("InternalError", field, "Internal error", detail),
};

/**
 * Formats a field error as kube-apiserver prints it: `spec.size: Invalid value: 7: ...`.
 *
 * @example
 * ```ts
 * import { type FieldError, formatFieldError } from "@pintle/cluster/schema";
 *
 * const error: FieldError = { reason: "FieldValueRequired", field: "spec.size", detail: "Required value" };
 * console.log(formatFieldError(error)); // "spec.size: Required value"
 * ```
 */
export function formatFieldError(error: FieldError): string {
  return error.field === "" ? error.detail : `${error.field}: ${error.detail}`;
}

function createFieldError(reason: FieldErrorReason, field: string, what: string, detail: string): FieldError {
  return { reason, field, detail: detail === "" ? what : `${what}: ${detail}` };
}

function formatWithValue(what: string, value: unknown): string {
  if (value === OMITTED_VALUE) return what;
  if (value instanceof VerbatimValue) return `${what}: ${value.text}`;
  if (typeof value === "string") return `${what}: ${quoteGoString(value)}`;
  if (typeof value === "number" || typeof value === "bigint") return `${what}: ${formatGoNumber(value)}`;
  return `${what}: ${encodeGoJson(value)}`;
}
