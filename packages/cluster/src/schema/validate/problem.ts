import type { Json } from "pintle/kinds";
import { type FieldError, fieldError, goJson, goNumber, goQuote } from "../../status/index.ts";

/** Something a schema says against a value, in the words of the server's OpenAPI validator. */
export interface Problem {
  /** Where, from the value that validation began with: "spec.list[0].name"; undefined when it names no field. */
  readonly name?: string | undefined;
  /** All of it in one sentence; the same sentence is reported once. */
  readonly text: string;
  readonly error: (field: string) => FieldError;
}

/** What one validator found out about one value. */
export interface Findings {
  readonly problems: Problem[];
  /** How much of the schema was met: picks the alternative of an anyOf or oneOf whose problems are reported. */
  matches: number;
}

export function findings(): Findings {
  return { problems: [], matches: 0 };
}

/** Field errors for a value that stands at `field`; "<nil>" is how the server writes "nowhere". */
export function fieldErrors(problems: readonly Problem[], field = "<nil>"): FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const { name, text, error } of problems) {
    if (seen.has(text)) continue;
    seen.add(text);
    errors.push(error(fieldNamed(name, field)));
  }
  return errors;
}

function fieldNamed(name: string | undefined, field: string): string {
  if (name === undefined || name === "" || name === ".") return field;
  const below = name.startsWith(".") ? name.slice(1) : name;
  return field === "<nil>" ? below : `${field}.${below}`;
}

export const problem = {
  wrongType: (name: string, type: string, found: string): Problem => {
    const text = say(name, `must be of type ${type}: ${goQuote(found)}`);
    return { name, text, error: (field) => fieldError.typeInvalid(field, found, text) };
  },
  required: (name: string): Problem => ({ name, text: say(name, "is required"), error: (field) => fieldError.required(field) }),
  notInEnum: (name: string, value: Json, values: readonly Json[]): Problem => ({
    name,
    text: say(name, `should be one of ${goJson(values)}`),
    error: (field) =>
      fieldError.notSupported(
        field,
        value,
        values.map((one) => (typeof one === "string" ? one : goJson(one))),
      ),
  }),
  tooLong: (name: string, max: number): Problem => ({
    name,
    text: say(name, `should be at most ${max} chars long`),
    error: (field) => fieldError.tooLong(field, max),
  }),
  tooManyItems: (name: string, size: number, max: number): Problem => ({
    name,
    text: say(name, `should have at most ${max} items`),
    error: (field) => fieldError.tooMany(field, size, max),
  }),
  tooManyProperties: (name: string, size: number, max: number): Problem => ({
    name,
    text: say(name, `should have at most ${max} properties`),
    error: (field) => fieldError.tooMany(field, size, max),
  }),
  /** Anything else about a value: `spec.size: Invalid value: 0: spec.size in body should be ...`. */
  invalid: (name: string, value: Json, detail: string): Problem => {
    const text = say(name, detail);
    return { name, text, error: (field) => fieldError.invalid(field, value, text) };
  },
  /** In its own words, about a value. */
  said: (name: string, value: Json, text: string): Problem => ({
    name,
    text,
    error: (field) => fieldError.invalid(field, value, text),
  }),
  /** Not about one value: the server then forgets where it was. */
  general: (text: string): Problem => ({ text, error: (field) => fieldError.invalid(field, "", text) }),
};

function say(name: string, detail: string): string {
  return `${name} in body ${detail}`;
}

export function limitText(limit: number): string {
  return goNumber(limit);
}
