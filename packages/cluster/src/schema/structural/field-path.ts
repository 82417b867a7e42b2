import type { JsonSchema } from "../json-schema.ts";

/** A field path resolved against a schema: `.spec.size`, `.labels['a.b']`. */
export interface ResolvedFieldPath {
  /** The path as field errors write it: "spec.size", "labels[a.b]". */
  readonly text: string;
  readonly root: string;
  readonly schema: JsonSchema | undefined;
}

export interface ResolveFieldPathOptions {
  readonly brackets?: boolean | undefined;
}

/** Resolves a field path against a schema. Throws `RangeError` with the reason if it does not refer to a field. */
export function resolveFieldPath(path: string, schema: JsonSchema, options: ResolveFieldPathOptions = {}): ResolvedFieldPath {
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
  const tokens = tokenizePath(path);
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    if (token === ".") {
      step(expectToken(tokens.shift()));
    } else if (token === "[") {
      if (options.brackets === false) throw new RangeError("array notation is not allowed");
      step(unquote(expectToken(tokens.shift())));
      const closing = expectToken(tokens.shift());
      if (closing !== "]") throw new RangeError(`expected ] but got ${closing}`);
    } else {
      throw new RangeError(`expected [ or . but got: ${token}`);
    }
  }
  return { text, root, schema: at };
}

function expectToken(token: string | undefined): string {
  if (token === undefined) throw new RangeError("unexpected end of JSON path");
  return token;
}

/** Splits a path into dots, brackets, single-quoted strings and names. */
function tokenizePath(path: string): string[] {
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

function unquote(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    throw new RangeError(`expected single quoted string but got ${token}`);
  }
  return token.slice(1, -1).replace(/\\./gsu, (pair) => {
    const char = escapes[pair[1]!];
    if (char === undefined) throw new RangeError(`invalid string literal: invalid escape char ${pair}`);
    return char;
  });
}
