import type * as z from "zod";
import type { ValidationRule } from "../custom-resource-definition.ts";
import { InvalidResource } from "../invalid-resource.ts";
import { celFieldName } from "./cel-field-name.ts";
import { type AnyZodType, withAttributes } from "./field-attributes.ts";

/** Options of `celRule`. */
export interface CelRuleOptions {
  /** The message when the rule fails, one line. Default: the API server shows the expression. */
  readonly message?: string | undefined;
  /** A CEL expression for the message, used instead of `message` when it evaluates to a string. Default: none. */
  readonly messageExpression?: string | undefined;
  /** The machine-readable reason of the failure. Default: "FieldValueInvalid". */
  readonly reason?: ValidationRule["reason"] | undefined;
  /** The field that the failure is reported on, relative to this one: `".limits.cpu"`. Default: this field. */
  readonly fieldPath?: string | undefined;
  /** Whether a rule with `oldSelf` also runs on create, with `oldSelf` as an optional. Default: `false`. */
  readonly optionalOldSelf?: boolean | undefined;
}

/**
 * Adds a CEL validation rule (`x-kubernetes-validations`) to a field. The API server evaluates it on create and update; Zod does not.
 * In the expression `self` is the field and `oldSelf` its previous value.
 *
 * @example
 * ```ts
 * import { celRule, z } from "pintle";
 *
 * const range = celRule(z.object({ min: z.int32(), max: z.int32() }), "self.min <= self.max", { message: "min is above max" });
 * ```
 */
export function celRule<S extends AnyZodType>(schema: S, expression: string, options: CelRuleOptions = {}): S {
  const definedOptions = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return withAttributes(schema, { rules: [{ rule: expression, ...definedOptions }], hasCelRule: true });
}

/**
 * A field whose value cannot change while it is set. An optional field can still be removed and set again; make it required to prevent
 * that.
 *
 * @example
 * ```ts
 * import { immutable, z } from "pintle";
 *
 * const storageClassName = immutable(z.string());
 * ```
 */
export function immutable<S extends AnyZodType>(schema: S): S {
  return celRule(schema, "self == oldSelf", { message: "is immutable" });
}

type FieldNameIn<S extends z.ZodObject> = Extract<keyof S["shape"], string>;

/**
 * An object with exactly one of these optional fields set. Both the API server and Zod check it.
 *
 * @example
 * ```ts
 * import { exactlyOneOf, z } from "pintle";
 *
 * const source = exactlyOneOf(z.object({ secret: z.string().optional(), file: z.string().optional() }), "secret", "file");
 * ```
 */
export function exactlyOneOf<S extends z.ZodObject>(schema: S, ...fields: [FieldNameIn<S>, FieldNameIn<S>, ...FieldNameIn<S>[]]): S {
  return fieldCountRule(
    schema,
    fields,
    `${celSetFieldCount(fields)} == 1`,
    `exactly one of ${formatFieldList(fields)} must be set`,
    (set) => set === 1,
  );
}

/**
 * An object with at most one of these optional fields set. Both the API server and Zod check it.
 *
 * @example
 * ```ts
 * import { atMostOneOf, z } from "pintle";
 *
 * const source = atMostOneOf(z.object({ secret: z.string().optional(), file: z.string().optional() }), "secret", "file");
 * ```
 */
export function atMostOneOf<S extends z.ZodObject>(schema: S, ...fields: [FieldNameIn<S>, FieldNameIn<S>, ...FieldNameIn<S>[]]): S {
  return fieldCountRule(
    schema,
    fields,
    `${celSetFieldCount(fields)} <= 1`,
    `at most one of ${formatFieldList(fields)} may be set`,
    (set) => set <= 1,
  );
}

/**
 * An object with at least one of these optional fields set. Both the API server and Zod check it.
 *
 * @example
 * ```ts
 * import { atLeastOneOf, z } from "pintle";
 *
 * const target = atLeastOneOf(z.object({ cpu: z.int32().optional(), memory: z.int32().optional() }), "cpu", "memory");
 * ```
 */
export function atLeastOneOf<S extends z.ZodObject>(schema: S, ...fields: [FieldNameIn<S>, FieldNameIn<S>, ...FieldNameIn<S>[]]): S {
  return fieldCountRule(
    schema,
    fields,
    fields.map(celHas).join(" || "),
    `at least one of ${formatFieldList(fields)} must be set`,
    (set) => set >= 1,
  );
}

function fieldCountRule<S extends AnyZodType>(
  schema: S,
  fields: readonly string[],
  rule: string,
  message: string,
  holds: (set: number) => boolean,
): S {
  return withAttributes(schema, { rules: [{ rule, message }] }, (value: Record<string, unknown>) =>
    holds(fields.filter((name) => value[name] !== undefined).length) ? undefined : message,
  );
}

const formatFieldList = (fields: readonly string[]) => `[${fields.join(" ")}]`;
function celHas(field: string): string {
  const name = celFieldName(field);
  if (name === undefined) throw new InvalidResource(field, "a field name that CEL cannot express", "rename the field");
  return `has(self.${name})`;
}
/** A sum instead of a list and a filter: the API server estimates a fifth of the cost, which fits the budget of unbounded lists. */
const celSetFieldCount = (fields: readonly string[]) => fields.map((field) => `(${celHas(field)} ? 1 : 0)`).join(" + ");
