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

export const fieldError = {
  required: (field: string, detail = ""): FieldError => make("FieldValueRequired", field, "Required value", detail),
  invalid: (field: string, value: unknown, detail: string): FieldError =>
    make("FieldValueInvalid", field, `Invalid value: ${shown(value)}`, detail),
  typeInvalid: (field: string, value: unknown, detail: string): FieldError =>
    make("FieldValueTypeInvalid", field, `Invalid value: ${shown(value)}`, detail),
  notSupported: (field: string, value: unknown, supported: readonly string[]): FieldError =>
    make(
      "FieldValueNotSupported",
      field,
      `Unsupported value: ${shown(value)}`,
      supported.length === 0 ? "" : `supported values: ${supported.map((s) => JSON.stringify(s)).join(", ")}`,
    ),
  duplicate: (field: string, value: unknown): FieldError => make("FieldValueDuplicate", field, `Duplicate value: ${shown(value)}`, ""),
  forbidden: (field: string, detail: string): FieldError => make("FieldValueForbidden", field, "Forbidden", detail),
  tooLong: (field: string, max: number): FieldError => make("FieldValueTooLong", field, "Too long", `may not be more than ${max} bytes`),
  tooMany: (field: string, actual: number, max: number): FieldError =>
    make("FieldValueTooMany", field, `Too many: ${actual}`, `must have at most ${max} items`),
  notFound: (field: string, value: unknown): FieldError => make("FieldValueNotFound", field, `Not found: ${shown(value)}`, ""),
};

export function fieldErrorText(error: FieldError): string {
  return error.field === "" ? error.detail : `${error.field}: ${error.detail}`;
}

function make(reason: FieldReason, field: string, what: string, detail: string): FieldError {
  return { reason, field, detail: detail === "" ? what : `${what}: ${detail}` };
}

/** Go prints values with %v or as JSON; strings are quoted, objects are JSON. */
function shown(value: unknown): string {
  return typeof value === "bigint" ? value.toString() : (JSON.stringify(value) ?? "null");
}
