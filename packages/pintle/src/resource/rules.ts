import type * as z from "zod";
import { celName } from "./cel-name.ts";
import type { ValidationRule } from "./custom-resource-definition.ts";
import { type Any, mark } from "./facts.ts";
import { InvalidResource } from "./invalid-resource.ts";

export interface RuleOptions {
  /** What the user reads when the rule fails. One line. */
  readonly message?: string | undefined;
  /** CEL that makes the message; used instead of `message` when it evaluates to a text. */
  readonly messageExpression?: string | undefined;
  readonly reason?: ValidationRule["reason"] | undefined;
  /** The field the failure is reported on, from here: `".limits.cpu"`. */
  readonly fieldPath?: string | undefined;
  /** The rule also runs on create; `oldSelf` is then optional. */
  readonly optionalOldSelf?: boolean | undefined;
}

/** A CEL rule on this field: `rule(z.object({ min, max }), "self.min <= self.max", { message: "min is above max" })`. */
export function rule<S extends Any>(schema: S, expression: string, options: RuleOptions = {}): S {
  const said = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return mark(schema, { rules: [{ rule: expression, ...said }], undecided: true });
}

/** May not change while it is set. Make the field required if it must not be taken away and put back either. */
export function immutable<S extends Any>(schema: S): S {
  return rule(schema, "self == oldSelf", { message: "is immutable" });
}

type Name<S extends z.ZodObject> = Extract<keyof S["shape"], string>;

/** Exactly one of these fields is set: `exactlyOneOf(z.object({ a: ….optional(), b: ….optional() }), "a", "b")`. */
export function exactlyOneOf<S extends z.ZodObject>(schema: S, ...fields: [Name<S>, Name<S>, ...Name<S>[]]): S {
  return counted(schema, fields, `${total(fields)} == 1`, `exactly one of ${list(fields)} must be set`, (set) => set === 1);
}

/** At most one of these fields is set. */
export function atMostOneOf<S extends z.ZodObject>(schema: S, ...fields: [Name<S>, Name<S>, ...Name<S>[]]): S {
  return counted(schema, fields, `${total(fields)} <= 1`, `at most one of ${list(fields)} may be set`, (set) => set <= 1);
}

/** At least one of these fields is set. */
export function atLeastOneOf<S extends z.ZodObject>(schema: S, ...fields: [Name<S>, Name<S>, ...Name<S>[]]): S {
  return counted(schema, fields, fields.map(has).join(" || "), `at least one of ${list(fields)} must be set`, (set) => set >= 1);
}

function counted<S extends Any>(schema: S, fields: readonly string[], rule: string, message: string, holds: (set: number) => boolean): S {
  return mark(schema, { rules: [{ rule, message }] }, (value: Record<string, unknown>) =>
    holds(fields.filter((name) => value[name] !== undefined).length) ? undefined : message,
  );
}

const list = (fields: readonly string[]) => `[${fields.join(" ")}]`;
function has(field: string): string {
  const name = celName(field);
  if (name === undefined) throw new InvalidResource(field, "a field that CEL has no name for", "rename the field");
  return `has(self.${name})`;
}
/** A sum, not a list and a filter: the server estimates it at a fifth of the cost, which is what fits into unbounded lists. */
const total = (fields: readonly string[]) => fields.map((field) => `(${has(field)} ? 1 : 0)`).join(" + ");
