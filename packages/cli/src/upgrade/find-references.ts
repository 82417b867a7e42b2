import type { Token } from "./tokenize.ts";

const DECLARATION_KEYWORDS = new Set(["const", "let", "var", "function", "class", "interface", "type", "enum", "namespace", "infer"]);
const STATEMENT_KEYWORDS = new Set(["if", "while", "for", "switch", "with"]);
const MEMBER_MODIFIERS = new Set([
  ...["public", "private", "protected", "readonly", "static", "async", "get", "set", "declare", "abstract", "override", "accessor"],
  ...["{", ";", ",", "*", "+", "-"],
]);

/**
 * Returns the token indexes that refer to the imported binding `name`. Returns undefined if the file may declare the same name in an inner
 * scope, or uses it as a shorthand property: then the caller must keep the local name.
 *
 * `isSkipped` excludes tokens, such as those of import declarations.
 */
export function findReferences(
  tokens: readonly Token[],
  name: string,
  isSkipped: (index: number) => boolean,
): readonly number[] | undefined {
  const references: number[] = [];
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== "identifier" || token.text !== name || isSkipped(i)) continue;
    const use = classify(tokens, i);
    if (use === "declaration") return undefined;
    if (use === "reference") references.push(i);
  }
  return references;
}

/** A "member" is a property access or a property name, which is independent of the binding. */
function classify(tokens: readonly Token[], i: number): "reference" | "member" | "declaration" {
  const [before, after] = [tokens[i - 1]?.text ?? "", tokens[i + 1]?.text ?? ""];
  if (before === "." || before === "?.") return "member";
  if (DECLARATION_KEYWORDS.has(before) || after === "=>") return "declaration";
  const opener = tokens[tokens[i]!.parent];
  const enclosing = opener?.text;
  if (before === "<" || (before === "," && isInTypeParameters(tokens, i))) return classifyTypeArgument(tokens, i);
  const isTyped = after === ":" || (after === "?" && tokens[i + 2]?.text === ":");
  if (isTyped && before !== "?" && before !== "case") {
    if (enclosing === "{") return MEMBER_MODIFIERS.has(before) || MEMBER_MODIFIERS.has(wordBefore(tokens, i)) ? "member" : "reference";
    if (enclosing === "(" && (before === "(" || before === "," || before === "...")) return "declaration";
  }
  if (enclosing === "{") {
    if (after === "(" && MEMBER_MODIFIERS.has(before) && isMethod(tokens, i + 1)) return "member";
    if ((before === "{" || before === ",") && (after === "," || after === "}")) return "declaration";
    if ((before === "{" || before === ",") && after === "=" && isPattern(tokens, tokens[i]!.parent)) return "declaration";
  }
  if ((enclosing === "{" || enclosing === "[") && before !== "=" && isPattern(tokens, tokens[i]!.parent)) return "declaration";
  if (enclosing === "(" && isParameterList(tokens, tokens[i]!.parent)) {
    if (["(", ",", "..."].includes(before) && [",", ")", "=", ":", "?"].includes(after)) return "declaration";
  }
  return "reference";
}

const wordBefore = (tokens: readonly Token[], i: number) => (tokens[i - 1]?.kind === "identifier" ? tokens[i - 1]!.text : "");

/** Reports whether the parentheses at `open` belong to a method definition rather than a call. */
function isMethod(tokens: readonly Token[], open: number): boolean {
  const after = tokens[tokens[open]!.partner! + 1]?.text;
  return after === "{" || after === ":";
}

/** Reports whether the brackets at `open` may be a destructuring pattern. */
function isPattern(tokens: readonly Token[], open: number): boolean {
  const { partner, parent } = tokens[open]!;
  const [before, after] = [tokens[open - 1]?.text ?? "", tokens[partner! + 1]?.text ?? ""];
  if (["const", "let", "var"].includes(before) || after === "=" || after === "of") return true;
  const outer = tokens[parent]?.text;
  if (outer === "(") return ["(", ",", "..."].includes(before) && isParameterList(tokens, parent);
  return (outer === "{" || outer === "[") && (before === ":" || before === "," || before === "[") && isPattern(tokens, parent);
}

/** Reports whether the parentheses at `open` may be the parameters of a function. */
function isParameterList(tokens: readonly Token[], open: number): boolean {
  const [before, after] = [tokens[open - 1]?.text ?? "", tokens[tokens[open]!.partner! + 1]?.text ?? ""];
  if (after === "=>") return true;
  return (after === "{" || after === ":") && !STATEMENT_KEYWORDS.has(before);
}

/** Reports whether a comma at `i - 1` separates type parameters or arguments, as far as this is known without parsing types. */
function isInTypeParameters(tokens: readonly Token[], i: number): boolean {
  const { parent } = tokens[i]!;
  for (let at = i - 1; at > 0 && tokens[at]!.parent === parent; at--) {
    const { text } = tokens[at]!;
    if (text === "<") return ![";", "=", "=>"].includes(tokens[at - 1]?.text ?? ";");
    if ([";", "=", "=>", ">", "&&", "||"].includes(text)) return false;
  }
  return false;
}

/** Tells a type argument (`Array<Name>`) from a type parameter (`function f<Name>`). */
function classifyTypeArgument(tokens: readonly Token[], i: number): "reference" | "declaration" {
  let at = i - 1;
  while (at > 0 && tokens[at]!.text !== "<") at--;
  const [owner, keyword] = [tokens[at - 1], tokens[at - 2]?.text ?? ""];
  const isDeclared = owner?.kind === "identifier" && ["function", "class", "interface", "type"].includes(keyword);
  const isArrow = owner?.kind === "punctuator" && owner.text !== ")" && owner.text !== "]";
  return isDeclared || isArrow ? "declaration" : "reference";
}
