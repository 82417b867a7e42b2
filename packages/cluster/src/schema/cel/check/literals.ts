import { checkPattern } from "../../re2/index.ts";
import { parseDurationValue, parseTimestampValue } from "../library/conversions.ts";
import { checkFormatVerb, parseFormatVerbs } from "../library/string-format.ts";
import type { Call, Expr } from "../syntax/ast.ts";
import type { ExpressionIssue } from "../syntax/issue.ts";
import { Failure } from "../values/value.ts";
import type { CheckedExpression } from "./checker.ts";

/** Validates literal durations, timestamps, regular expressions and format strings at compile time, as cel-go's validators do. */
export function findLiteralIssues({ expr, types }: CheckedExpression): ExpressionIssue[] {
  const issues: ExpressionIssue[] = [];
  visitExpr(expr, (at) => {
    if (at.is !== "call") return;
    if (at.fn === "format") issues.push(...findFormatIssues(at, types));
    const arg = at.args.at(at.fn === "matches" ? -1 : 0);
    if (arg?.is !== "literal" || typeof arg.value !== "string" || literalChecks[at.fn]?.(arg.value) !== false) return;
    issues.push({ at: arg.at, message: `invalid ${at.fn} argument` });
  });
  return issues;
}

const literalChecks: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => !(parseDurationValue(text) instanceof Failure),
  timestamp: (text) => !(parseTimestampValue(text) instanceof Failure),
  matches: isPattern,
};

/** Checks a literal format string against a literal argument list: number of arguments and their types. */
function findFormatIssues({ at, target, args: [list] }: Call, types: CheckedExpression["types"]): ExpressionIssue[] {
  if (target?.is !== "literal" || typeof target.value !== "string" || list?.is !== "list") return [];
  const clauses = parseFormatVerbs(target.value);
  for (const [i, verb] of clauses.entries()) {
    const item = list.items[i];
    if (item === undefined) return [{ at, message: `index ${i} out of range` }];
    const problem = checkFormatVerb(verb, types.get(item)!.name);
    if (problem !== undefined) return [{ at: problem.startsWith("error") ? item.at : at, message: problem }];
  }
  if (clauses.length === list.items.length) return [];
  return [{ at, message: `too many arguments supplied to string.format (expected ${clauses.length}, got ${list.items.length})` }];
}

function isPattern(text: string): boolean {
  try {
    checkPattern(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function visitExpr(expr: Expr, visitor: (expr: Expr) => void): void {
  visitor(expr);
  for (const child of getChildren(expr)) visitExpr(child, visitor);
}

function getChildren(expr: Expr): readonly Expr[] {
  switch (expr.is) {
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.items;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}
