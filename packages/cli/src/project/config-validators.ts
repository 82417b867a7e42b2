import { parseQuantity } from "pintle/internal/merge";

/** Checks one value of `pintle.config.ts` and yields its problems, each with the path of the value. */
export type Validator = (value: unknown, path: string) => Iterable<string>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Accepts the values for which `holds` is true. */
const must =
  (what: string, holds: (value: unknown) => boolean): Validator =>
  (value, path) =>
    holds(value) ? [] : [`${path}: must be ${what}`];

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const matches = (pattern: RegExp, limit: number) => (value: unknown) => isText(value) && value.length <= limit && pattern.test(value);

export const text = must("a string that is not empty", isText);
export const anyText = must("a string", (value) => typeof value === "string");
export const boolean = must("true or false", (value) => typeof value === "boolean");
export const integer = (least: number) =>
  must(`an integer of at least ${least}`, (value) => Number.isInteger(value) && (value as number) >= least);
export const object = must("an object", isObject);
export const callback = must("a function", (value) => typeof value === "function");
export const quantity = must('a quantity such as "100m" or "128Mi"', (value) => isText(value) && parseQuantity(value) !== undefined);
export const countOrPercentage = must('an integer of at least 0 or a percentage such as "50%"', (value) =>
  typeof value === "string" ? /^\d+%$/.test(value) : Number.isInteger(value) && (value as number) >= 0,
);
/** A name of one DNS label: of a namespace, for example. */
export const label = must("at most 63 lower-case letters, digits and dashes", matches(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 63));
/** A name of several DNS labels: of a Secret, a domain, a PriorityClass. */
export const subdomain = must(
  "lower-case letters, digits, dashes and dots",
  matches(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/, 253),
);

/** Accepts these values, and others if `otherwise` accepts them. */
export const oneOf =
  (
    what: string,
    values: readonly unknown[],
    otherwise?: { readonly applies: (value: unknown) => boolean; readonly check: Validator },
  ): Validator =>
  (value, path) => {
    if (values.includes(value)) return [];
    return otherwise?.applies(value) === true ? otherwise.check(value, path) : [`${path}: must be ${what}`];
  };
export const orList = (item: Validator) => ({ applies: Array.isArray, check: list(item) });
export const orObject = (check: Validator) => ({ applies: isObject, check });

export function list(item: Validator, what = "a list"): Validator {
  return function* (value, path) {
    if (!Array.isArray(value)) return yield `${path}: must be ${what}`;
    for (const [i, each] of value.entries()) yield* item(each, `${path}[${i}]`);
  };
}

export function record(item: Validator): Validator {
  return function* (value, path) {
    if (!isObject(value)) return yield `${path}: must be an object`;
    for (const [name, each] of Object.entries(value)) yield* item(each, `${path}.${name}`);
  };
}

/** Accepts an object with these fields, each of them optional, and no others. */
export function fields(validators: Readonly<Record<string, Validator>>): Validator {
  return function* (value, path) {
    if (!isObject(value)) return yield `${path}: must be an object with the fields ${Object.keys(validators).join(", ")}`;
    for (const [name, each] of Object.entries(value)) {
      const validator = validators[name];
      if (validator === undefined) yield `${path}.${name}: unknown field; the fields are ${Object.keys(validators).join(", ")}`;
      else if (each !== undefined) yield* validator(each, `${path}.${name}`);
    }
  };
}

/** Accepts an object of which exactly one of the fields `names` is set. */
export function exactlyOne(names: readonly string[], whole: Validator): Validator {
  return function* (value, path) {
    if (isObject(value) && names.filter((name) => value[name] !== undefined).length !== 1) yield `${path}: set one of ${names.join(", ")}`;
    yield* whole(value, path);
  };
}
