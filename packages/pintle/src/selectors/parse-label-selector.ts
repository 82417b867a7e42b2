import type { LabelRequirement } from "./requirement.ts";

/** A label selector that does not follow the grammar. The message is the one of k8s.io/apimachinery/pkg/labels. */
export class LabelSelectorSyntaxError extends Error {
  override readonly name = "LabelSelectorSyntaxError";
  /** Where the requirement that cannot be parsed begins in the text. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Checks of keys and values; each returns what is wrong, or undefined. Without them every key and value is accepted. */
export interface LabelSelectorValidators {
  key(key: string): string | undefined;
  value(value: string): string | undefined;
}

interface Token {
  readonly text: string;
  readonly offset: number;
}

/**
 * Parses the text form of a label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2`.
 * Returns the requirements in the order of the text. Throws `LabelSelectorSyntaxError`.
 */
export function parseLabelSelector(text: string, validators?: LabelSelectorValidators): LabelRequirement[] {
  const tokens = createTokenReader(text);
  const requirements: LabelRequirement[] = [];
  let start = 0;
  const peek = () => tokens.peek()?.text ?? "";
  const next = () => tokens.next()?.text ?? "";
  const syntaxError = (message: string) => new LabelSelectorSyntaxError(message, start);
  const requirementError = (message: string) => syntaxError(`unable to parse requirement: ${message}`);

  if (tokens.peek() === undefined) return requirements;
  for (;;) {
    start = tokens.peek()?.offset ?? text.length;
    requirements.push(parseRequirement());
    const separator = next();
    if (separator === "") return requirements;
    if (separator !== ",") throw syntaxError(`found '${separator}', expected: ',' or 'end of string'`);
    if (peek() === "" || peek() === ",") {
      start = tokens.peek()?.offset ?? text.length;
      throw syntaxError(`found '${peek()}', expected: identifier after ','`);
    }
  }

  function parseRequirement(): LabelRequirement {
    if (peek() === "!") {
      next();
      return { key: parseKey(), operator: "DoesNotExist", values: [] };
    }
    const key = parseKey();
    switch (peek()) {
      case "":
      case ",":
        return { key, operator: "Exists", values: [] };
      case "in":
      case "notin": {
        const operator = next() === "in" ? "In" : "NotIn";
        return { key, operator, values: parseValues().map((value) => validateValue(key, value)) };
      }
      case "=":
      case "==":
      case "!=": {
        const operator = next() === "!=" ? "NotIn" : "In";
        const value = peek() === "" || peek() === "," ? "" : next();
        if (isOperator(value)) throw requirementError(`found '${value}', expected: identifier`);
        return { key, operator, values: [validateValue(key, value)] };
      }
      case ">":
      case "<": {
        const operator = next() === ">" ? "Gt" : "Lt";
        const value = next();
        if (!/^[+-]?\d+$/.test(value)) {
          throw requirementError(
            `values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
          );
        }
        return { key, operator, values: [value] };
      }
      default:
        throw requirementError(`found '${peek()}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  function parseKey(): string {
    const key = next();
    if (key === "" || isOperator(key)) throw syntaxError(`found '${key}', expected: !, identifier, or 'end of string'`);
    const problem = validators?.key(key);
    if (problem !== undefined) throw requirementError(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`);
    return key;
  }

  function parseValues(): string[] {
    const open = next();
    if (open !== "(") throw requirementError(`found '${open}' expected: '('`);
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
      if (value === "" || isOperator(value)) throw requirementError(`found '${value}', expected: ',' or ')'`);
      values.push(value);
    }
  }

  function validateValue(key: string, value: string): string {
    const problem = validators?.value(value);
    if (problem !== undefined) throw requirementError(`values[0][${key}]: Invalid value: ${JSON.stringify(value)}: ${problem}`);
    return value;
  }
}

const isOperator = (token: string) => /^[(),=!<>]/.test(token);

/** Reads tokens one at a time: a selector that is wrong at its beginning costs no more than that. */
function createTokenReader(text: string): { peek(): Token | undefined; next(): Token | undefined } {
  const pattern = /==|!=|[(),=!<>]|[^\s(),=!<>]+/g;
  // As in Go's lexer, a zero byte ends the text.
  const end = text.indexOf("\0");
  const source = end === -1 ? text : text.slice(0, end);
  const read = (): Token | undefined => {
    const match = pattern.exec(source);
    return match === null ? undefined : { text: match[0], offset: match.index };
  };
  let current = read();
  return {
    peek: () => current,
    next() {
      const token = current;
      if (token !== undefined) current = read();
      return token;
    },
  };
}
