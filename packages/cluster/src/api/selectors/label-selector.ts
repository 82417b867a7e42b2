import { isObject, type JsonObject } from "pintle/kinds";
import { badRequest, labelValueProblems, qualifiedNameProblems } from "../../status/index.ts";

export type Labels = Readonly<Record<string, string>>;
export type LabelSelector = readonly LabelRequirement[];

export interface LabelRequirement {
  readonly key: string;
  readonly operator: "in" | "notin" | "exists" | "!" | "gt" | "lt";
  readonly values: readonly string[];
}

export const EVERYTHING: LabelSelector = [];

export function matchesLabels(selector: LabelSelector, labels: Labels): boolean {
  return selector.every((requirement) => matches(requirement, labels));
}

function matches({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "in":
      return value !== undefined && values.includes(value);
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt": {
      if (value === undefined || !/^[+-]?\d+$/.test(value)) return false;
      const difference = BigInt(value) - BigInt(values[0] as string);
      return operator === "gt" ? difference > 0n : difference < 0n;
    }
  }
}

/** `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2`; throws 400. */
export function parseLabelSelector(text: string): LabelSelector {
  const tokens = tokenize(text);
  const requirements: LabelRequirement[] = [];
  let at = 0;
  const peek = () => tokens[at] ?? "";
  const next = () => tokens[at++] ?? "";
  if (tokens.length === 0) return EVERYTHING;
  for (;;) {
    requirements.push(requirement());
    const separator = next();
    if (separator === "") break;
    if (separator !== ",") throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
    if (peek() === "" || peek() === ",") throw badRequest(`found '${peek()}', expected: identifier after ','`);
  }
  return requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));

  function requirement(): LabelRequirement {
    if (peek() === "!") {
      next();
      return { key: key(), operator: "!", values: [] };
    }
    const name = key();
    switch (peek()) {
      case "":
      case ",":
        return { key: name, operator: "exists", values: [] };
      case "in":
      case "notin": {
        const operator = next() as "in" | "notin";
        return { key: name, operator, values: list().map((value) => checked(name, value)) };
      }
      case "=":
      case "==":
      case "!=": {
        const operator = next() === "!=" ? "notin" : "in";
        const value = peek() === "" || peek() === "," ? "" : next();
        if (isOperator(value)) throw bad(`found '${value}', expected: identifier`);
        return { key: name, operator, values: [checked(name, value)] };
      }
      case ">":
      case "<": {
        const operator = next() === ">" ? "gt" : "lt";
        const value = next();
        if (!/^[+-]?\d+$/.test(value)) {
          throw bad(`values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`);
        }
        return { key: name, operator, values: [value] };
      }
      default:
        throw bad(`found '${peek()}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  function key(): string {
    const name = next();
    if (name === "" || isOperator(name)) throw badRequest(`found '${name}', expected: !, identifier, or 'end of string'`);
    const problem = qualifiedNameProblems(name)[0];
    if (problem !== undefined) throw bad(`<nil>: Invalid value: ${JSON.stringify(name)}: ${problem}`);
    return name;
  }

  function list(): string[] {
    const open = next();
    if (open !== "(") throw bad(`found '${open}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      const value = next();
      if (value === ")") {
        if (values.length === 0) values.push("");
        return values;
      }
      if (value === ",") {
        if (values.length === 0 || peek() === "," || peek() === ")") values.push("");
        continue;
      }
      if (value === "" || isOperator(value)) throw bad(`found '${value}', expected: ',' or ')'`);
      values.push(value);
    }
  }

  function checked(name: string, value: string): string {
    const problem = labelValueProblems(value)[0];
    if (problem !== undefined) throw bad(`values[0][${name}]: Invalid value: ${JSON.stringify(value)}: ${problem}`);
    return value;
  }
}

const bad = (why: string) => badRequest(`unable to parse requirement: ${why}`);
const isOperator = (token: string) => /^[(),=!<>]/.test(token);

function tokenize(text: string): string[] {
  // A zero ends the text, whatever follows it.
  return (text.split("\0")[0] as string).match(/==|!=|[(),=!<>]|[^\s(),=!<>]+/g) ?? [];
}

/** A metav1.LabelSelector object as the text form, as Scale.status.selector shows it. Undefined: selects nothing. */
export function labelSelectorText(selector: JsonObject): string {
  const parts = Object.entries(isObject(selector["matchLabels"]) ? selector["matchLabels"] : {}).map(([key, value]) => ({
    key,
    text: `${key}=${String(value)}`,
  }));
  for (const expression of (selector["matchExpressions"] as readonly JsonObject[] | undefined) ?? []) {
    const key = String(expression["key"]);
    const values = [...((expression["values"] as readonly string[] | undefined) ?? [])].sort().join(",");
    const operator = expression["operator"];
    const text =
      operator === "In"
        ? `${key} in (${values})`
        : operator === "NotIn"
          ? `${key} notin (${values})`
          : operator === "Exists"
            ? key
            : `!${key}`;
    parts.push({ key, text });
  }
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map((part) => part.text)
    .join(",");
}
