import { PintleError } from "../../errors/index.ts";

/** The path of a field in an object: `"spec.size"`, `"spec.ports[0].name"`. The compiler checks its first two names. */
export type FieldPath<T> = { [K in keyof T & string]: K | `${K}[${string}` | `${K}.${FieldPathInside<NonNullable<T[K]>>}` }[keyof T &
  string];
type FieldPathInside<T> = T extends readonly unknown[] ? string : FieldPathBelow<keyof T & string>;
type FieldPathBelow<K extends string> = K | `${K}.${string}` | `${K}[${string}`;

/** The type of a field error, as Kubernetes names it. */
export type FieldErrorReason = "Invalid" | "Required" | "Forbidden" | "Duplicate" | "NotSupported" | "TooLong" | "TooMany";

/** An error of one field, returned by `validate`. */
export interface FieldError<Field extends string = string> {
  /** The path of the field. */
  readonly field: Field;
  /** What a valid value is: "must be at most 9". */
  readonly message: string;
  /** The type of the error. Default: "Invalid". */
  readonly reason?: FieldErrorReason | undefined;
  /** The value in the message. Default: the value of the field. */
  readonly value?: unknown;
}

/**
 * The result of `validate`: undefined admits the request, errors reject it, and the client shows warnings in both cases.
 */
export type ValidationResult<T> =
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing admits the request
  | void
  | undefined
  | readonly FieldError<FieldPath<T>>[]
  | {
      readonly errors?: readonly FieldError<FieldPath<T>>[] | undefined;
      /** Warnings of one line each, at most 120 characters. Default: none. */
      readonly warnings?: readonly string[] | undefined;
    };

/** A validation result in its complete form. */
export interface NormalizedValidationResult {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** Checks and normalizes the result of `validate`, which may come from untyped code. Throws `PINTLE5005` for any other value. */
export function normalizeValidationResult(result: unknown): NormalizedValidationResult {
  if (result === undefined) return { errors: [], warnings: [] };
  const {
    errors = [],
    warnings = [],
    ...more
  } = (Array.isArray(result) ? { errors: result } : isRecord(result) ? result : { verdict: result }) as {
    readonly errors?: unknown;
    readonly warnings?: unknown;
  };
  const fits =
    Array.isArray(errors) && errors.every(isFieldError) && Array.isArray(warnings) && warnings.every((each) => typeof each === "string");
  if (!fits || Object.keys(more).length > 0)
    throw new PintleError(
      "PINTLE5005",
      "validate returned an invalid result: return nothing, a list of { field, message }, or { errors, warnings }",
    );
  return { errors, warnings };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isFieldError(value: unknown): value is FieldError {
  return isRecord(value) && typeof value["field"] === "string" && typeof value["message"] === "string";
}
