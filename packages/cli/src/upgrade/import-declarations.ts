import type { Token } from "./tokenize.ts";

/** An `import ... from` or `export ... from` declaration with a module specifier. */
export interface ImportDeclaration {
  readonly keyword: "import" | "export";
  /** `import type` or `export type`. */
  readonly isTypeOnly: boolean;
  readonly defaultName?: string | undefined;
  /** Local name of `* as name`; "*" for `export * from`. */
  readonly namespace?: string | undefined;
  readonly specifiers: readonly ImportSpecifier[];
  readonly module: string;
  /** The quote character of the module specifier. */
  readonly quote: string;
  /** Import attributes after the module specifier, such as `with { type: "json" }`. */
  readonly hasAttributes: boolean;
  readonly start: number;
  /** After the semicolon, if there is one. */
  readonly end: number;
  readonly hasSemicolon: boolean;
  /** Indexes of its first token and of the first token after it. */
  readonly firstToken: number;
  readonly nextToken: number;
}

export interface ImportSpecifier {
  readonly isTypeOnly: boolean;
  readonly name: string;
  /** The name after `as`. */
  readonly alias?: string | undefined;
}

/** Returns all declarations with a module specifier at the top level of a file. */
export function findImports(tokens: readonly Token[]): readonly ImportDeclaration[] {
  const found: ImportDeclaration[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const { kind, text, parent } = tokens[i]!;
    if (kind !== "identifier" || parent !== -1 || (text !== "import" && text !== "export")) continue;
    const declaration = parseDeclaration(tokens, i, text);
    if (declaration === undefined) continue;
    found.push(declaration);
    i = declaration.nextToken - 1;
  }
  return found;
}

function parseDeclaration(tokens: readonly Token[], first: number, keyword: "import" | "export"): ImportDeclaration | undefined {
  let at = first + 1;
  const text = (offset = 0) => tokens[at + offset]?.text;
  const isName = (offset = 0) => tokens[at + offset]?.kind === "identifier";
  let isTypeOnly = false;
  let defaultName: string | undefined;
  let namespace: string | undefined;
  let specifiers: readonly ImportSpecifier[] = [];
  // `import type from "x"` imports a default named "type".
  if (text() === "type" && (text(1) === "{" || text(1) === "*" || (isName(1) && text(1) !== "from"))) {
    isTypeOnly = true;
    at++;
  }
  if (tokens[at]?.kind !== "string") {
    if (keyword === "import" && isName()) {
      defaultName = text();
      at++;
      if (text() === ",") at++;
    }
    if (text() === "*") {
      namespace = text(1) === "as" ? text(2) : "*";
      at += text(1) === "as" ? 3 : 1;
    } else if (text() === "{") {
      const close = tokens[at]!.partner!;
      specifiers = parseSpecifiers(tokens.slice(at + 1, close));
      at = close + 1;
    }
    if (text() !== "from") return undefined;
    at++;
  }
  const source = tokens[at];
  if (source?.kind !== "string") return undefined;
  at++;
  const hasAttributes = (text() === "with" || text() === "assert") && text(1) === "{";
  if (hasAttributes) at = tokens[at + 1]!.partner! + 1;
  const hasSemicolon = text() === ";";
  if (hasSemicolon) at++;
  return {
    keyword,
    isTypeOnly,
    defaultName,
    namespace,
    specifiers,
    module: source.text.slice(1, -1),
    quote: source.text[0]!,
    hasAttributes,
    start: tokens[first]!.start,
    end: tokens[at - 1]!.end,
    hasSemicolon,
    firstToken: first,
    nextToken: at,
  };
}

function parseSpecifiers(tokens: readonly Token[]): readonly ImportSpecifier[] {
  const groups: string[][] = [[]];
  for (const { text } of tokens) {
    if (text === ",") groups.push([]);
    else groups.at(-1)!.push(text);
  }
  return groups
    .filter((words) => words.length > 0)
    .map((words) => {
      // `type` alone, or in `type as x`, is a name.
      const isTypeOnly = words[0] === "type" && words.length > 1 && words[1] !== "as";
      const [name, , alias] = isTypeOnly ? words.slice(1) : words;
      return { isTypeOnly, name: name!, alias };
    });
}
