/**
 * Promises without a handler, found with the types of the compiler. A rejection that has no handler ends the process, and with it every
 * pod, watch and connection of a cluster. `npm run floating-promises` is part of `npm run check` and fails on:
 *
 * 1. a promise as a statement, and the operand of `void`: `void send()` silences a linter, not the rejection;
 * 2. a function that returns a promise in the place of a callback whose result is ignored (`on("close", async () => ...)`).
 *
 * A promise that is deliberately not awaited goes through `runInBackground` of `pintle/internal/errors`, which takes an error handler.
 */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type BinaryExpression, type Expression, type Node, SyntaxKind } from "typescript/unstable/ast";
import {
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isForStatement,
  isMethodDeclaration,
  isNewExpression,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isVariableDeclaration,
  isVoidExpression,
} from "typescript/unstable/ast/is";
import { API, type Checker, type Project, SignatureKind, type Type, TypeFlags } from "typescript/unstable/sync";

/** A promise that nothing handles. */
export interface FloatingPromise {
  readonly file: string;
  readonly line: number;
  /** The first line of the expression. */
  readonly text: string;
  readonly reason: string;
}

const DISCARDED = "this promise is neither awaited nor handled";
const IGNORED = "this function returns a promise, but its caller ignores the result";

/** Finds the floating promises in the files of a TypeScript project that `includes` accepts. */
export function findFloatingPromises(configFile: string, includes: (file: string) => boolean): readonly FloatingPromise[] {
  const api = new API({ cwd: path.dirname(configFile) });
  try {
    const project = api.updateSnapshot({ openProjects: [configFile] }).getProject(configFile);
    if (project === undefined) throw new Error(`${configFile} is no TypeScript project`);
    return project.program
      .getSourceFileNames()
      .filter(includes)
      .flatMap((file) => checkFile(project, file));
  } finally {
    api.close();
  }
}

function checkFile({ program, checker }: Project, file: string): readonly FloatingPromise[] {
  const source = program.getSourceFile(file);
  if (source === undefined) return [];
  const found: FloatingPromise[] = [];
  const report = (node: Node, reason: string) => {
    const start = node.getStart(source);
    found.push({
      file,
      line: source.text.slice(0, start).split("\n").length,
      text: source.text.slice(start, node.end).split("\n")[0]!,
      reason,
    });
  };
  const checkDiscarded = (expression: Expression) => {
    for (const result of listResults(expression)) if (isThenable(checker, checker.getTypeAtLocation(result))) report(result, DISCARDED);
  };
  const checkCallback = (node: Node, actual: Type | undefined, expected: Type | undefined) => {
    if (returnsThenable(checker, actual) && ignoresResult(checker, expected)) report(node, IGNORED);
  };
  const checkValue = (value: Expression | undefined) => {
    if (value !== undefined && mayBeFunction(value))
      checkCallback(value, checker.getTypeAtLocation(value), checker.getContextualType(value));
  };
  const visit = (node: Node): void => {
    if (isExpressionStatement(node) || isVoidExpression(node)) checkDiscarded(node.expression);
    else if (isForStatement(node) && node.incrementor !== undefined) checkDiscarded(node.incrementor);
    else if (isCallExpression(node) || isNewExpression(node)) for (const argument of node.arguments ?? []) checkValue(argument);
    else if (isPropertyAssignment(node) || isVariableDeclaration(node)) checkValue(node.initializer);
    else if (isBinaryExpression(node) && isAssignment(node)) checkValue(node.right);
    else if (isObjectLiteralExpression(node)) {
      const expected = checker.getContextualType(node);
      for (const property of node.properties) {
        if (!isMethodDeclaration(property) && !isShorthandPropertyAssignment(property)) continue;
        const name = property.name.getText(source);
        const symbol =
          expected === undefined ? undefined : checker.getPropertyOfType(checker.getNonNullableType(expected) ?? expected, name);
        const actual = checker.getSymbolAtLocation(property.name);
        if (symbol === undefined || actual === undefined) continue;
        checkCallback(property.name, checker.getTypeAtLocation(property.name), checker.getTypeOfSymbol(symbol));
      }
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** Lists the expressions whose value is the value of this one. An assignment keeps its value. */
function listResults(expression: Expression): readonly Expression[] {
  if (isParenthesizedExpression(expression)) return listResults(expression.expression);
  // Its operand is checked where it stands.
  if (isVoidExpression(expression)) return [];
  if (isConditionalExpression(expression)) return [...listResults(expression.whenTrue), ...listResults(expression.whenFalse)];
  if (!isBinaryExpression(expression)) return [expression];
  if (isAssignment(expression)) return [];
  const { left, operatorToken, right } = expression;
  if (operatorToken.kind === SyntaxKind.AmpersandAmpersandToken) return listResults(right);
  return [...listResults(left), ...listResults(right)];
}

function isAssignment({ operatorToken: { kind } }: BinaryExpression): boolean {
  return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment;
}

function mayBeFunction({ kind }: Expression): boolean {
  return (
    kind === SyntaxKind.ArrowFunction ||
    kind === SyntaxKind.FunctionExpression ||
    kind === SyntaxKind.Identifier ||
    kind === SyntaxKind.PropertyAccessExpression
  );
}

function isThenable(checker: Checker, type: Type | undefined): boolean {
  if (type === undefined || type.flags & TypeFlags.Any) return false;
  return listParts(type).some((part) => {
    const then = checker.getPropertyOfType(part, "then");
    const method = then === undefined ? undefined : checker.getTypeOfSymbol(then);
    return method !== undefined && checker.getSignaturesOfType(method, SignatureKind.Call).length > 0;
  });
}

function returnsThenable(checker: Checker, type: Type | undefined): boolean {
  return type !== undefined && listReturnTypes(checker, type).some((each) => isThenable(checker, each));
}

/** Whether a caller of this function type ignores the result: each of its signatures returns void. */
function ignoresResult(checker: Checker, type: Type | undefined): boolean {
  const returned = type === undefined ? [] : listReturnTypes(checker, type);
  return returned.length > 0 && returned.every(({ flags }) => (flags & TypeFlags.Void) !== 0);
}

function listReturnTypes(checker: Checker, type: Type): readonly Type[] {
  return listParts(type)
    .flatMap((part) => checker.getSignaturesOfType(part, SignatureKind.Call))
    .flatMap((signature) => checker.getReturnTypeOfSignature(signature) ?? []);
}

/** The members of a union. The compiler's API fails on some unions with tuples, which contain no promise. */
function listParts(type: Type): readonly Type[] {
  if (!type.isUnionType()) return [type];
  try {
    return type.getTypes() ?? [];
  } catch {
    return [];
  }
}

/** The files of the published packages. The helper itself is the one place that drops a promise. */
export function isChecked(file: string): boolean {
  return /^packages\/[^/]+\/src\//.test(file) && !/\.test(-d)?\.ts$|\/generated\/|\/errors\/run-in-background\.ts$/.test(file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  const found = findFloatingPromises(path.join(root, "tsconfig.json"), (file) => isChecked(path.relative(root, file)));
  for (const { file, line, text, reason } of found) console.error(`${path.relative(root, file)}:${line}: ${reason}: ${text}`);
  console.log(`floating promises: ${found.length}`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
