/** Where in an object something is wrong: `"spec.size"`, `"spec.ports[0].name"`. The first two names are checked by the compiler. */
export type FieldPath<T> = { [K in keyof T & string]: K | `${K}[${string}` | `${K}.${Inner<NonNullable<T[K]>>}` }[keyof T & string];
type Inner<T> = T extends readonly unknown[] ? string : Below<keyof T & string>;
type Below<K extends string> = K | `${K}.${string}` | `${K}[${string}`;

/** Kubernetes' own words for what can be wrong with a field. */
export type FieldReason = "Invalid" | "Required" | "Forbidden" | "Duplicate" | "NotSupported" | "TooLong" | "TooMany";

export interface FieldError<Field extends string = string> {
  readonly field: Field;
  /** What would be right: "must be at most 9". */
  readonly message: string;
  /** Default: "Invalid". */
  readonly reason?: FieldReason | undefined;
  /** Default: what the object has there. */
  readonly value?: unknown;
}

/** What `validate` says: nothing, which is a yes; errors, by field; and warnings, which the client shows either way. */
export type Verdict<T> =
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing says yes
  | void
  | undefined
  | readonly FieldError<FieldPath<T>>[]
  | {
      readonly errors?: readonly FieldError<FieldPath<T>>[] | undefined;
      /** One line each, at most 120 characters or so, not about the obvious. */
      readonly warnings?: readonly string[] | undefined;
    };

export interface Judgement {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** What came back from `validate`, whoever wrote it; throws for what says neither yes nor no. */
export function judgement(verdict: unknown): Judgement {
  if (verdict === undefined) return { errors: [], warnings: [] };
  const {
    errors = [],
    warnings = [],
    ...more
  } = (Array.isArray(verdict) ? { errors: verdict } : isRecord(verdict) ? verdict : { verdict }) as {
    readonly errors?: unknown;
    readonly warnings?: unknown;
  };
  const fits =
    Array.isArray(errors) && errors.every(isFieldError) && Array.isArray(warnings) && warnings.every((each) => typeof each === "string");
  if (!fits || Object.keys(more).length > 0)
    throw new TypeError(
      "validate returned something else than a verdict: return nothing, a list of { field, message }, or { errors, warnings }",
    );
  return { errors, warnings };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isFieldError(value: unknown): value is FieldError {
  return isRecord(value) && typeof value["field"] === "string" && typeof value["message"] === "string";
}
