import type { JsonSchema } from "../json-schema.ts";

/** A path into a schema: `.spec.size`, `.labels['a.b']`. */
export interface FieldPath {
  /** As errors write it: "spec.size", "labels[a.b]". */
  readonly text: string;
  readonly root: string;
  readonly schema: JsonSchema | undefined;
}

export interface FieldPathOptions {
  readonly brackets?: boolean | undefined;
}

/** Follows a path through a schema; throws a RangeError with the reason when it leads nowhere. */
export function fieldPath(path: string, schema: JsonSchema, options: FieldPathOptions = {}): FieldPath {
  let text = "";
  let root = "";
  let at: JsonSchema | undefined = schema;
  const step = (name: string): void => {
    const { properties, additionalProperties } = at ?? {};
    if (properties !== undefined) {
      text += text === "" ? name : `.${name}`;
      if (!Object.hasOwn(properties, name)) throw new RangeError("does not refer to a valid field");
      at = properties[name];
    } else if (additionalProperties !== undefined) {
      text += `[${name}]`;
      at = typeof additionalProperties === "object" ? additionalProperties : undefined;
    } else {
      throw new RangeError("does not refer to a valid field");
    }
    root ||= name;
  };
  const tokens = tokensOf(path);
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    if (token === ".") {
      step(expected(tokens.shift()));
    } else if (token === "[") {
      if (options.brackets === false) throw new RangeError("array notation is not allowed");
      step(unquoted(expected(tokens.shift())));
      const closing = expected(tokens.shift());
      if (closing !== "]") throw new RangeError(`expected ] but got ${closing}`);
    } else {
      throw new RangeError(`expected [ or . but got: ${token}`);
    }
  }
  return { text, root, schema: at };
}

function expected(token: string | undefined): string {
  if (token === undefined) throw new RangeError("unexpected end of JSON path");
  return token;
}

/** Dots, brackets, single quoted strings, and everything in between. */
function tokensOf(path: string): string[] {
  return path.match(/'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]]+/gsu) ?? [];
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

function unquoted(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    throw new RangeError(`expected single quoted string but got ${token}`);
  }
  return token.slice(1, -1).replace(/\\./gsu, (pair) => {
    const char = escapes[pair[1]!];
    if (char === undefined) throw new RangeError(`invalid string literal: invalid escape char ${pair}`);
    return char;
  });
}
