import { re2 } from "../../pattern.ts";
import { readDuration, readTimestamp } from "../library/conversions.ts";
import { clauseProblem, formatClauses } from "../library/format-text.ts";
import type { Call, Expr } from "../syntax/ast.ts";
import type { Issue } from "../syntax/issue.ts";
import { Failure } from "../values/value.ts";
import type { Checked } from "./checker.ts";

/** Durations, timestamps, patterns and formats written as literals are looked at before they can fail. */
export function literalIssues({ expr, types }: Checked): Issue[] {
  const issues: Issue[] = [];
  visit(expr, (at) => {
    if (at.is !== "call") return;
    if (at.fn === "format") issues.push(...formatIssues(at, types));
    const arg = at.args.at(at.fn === "matches" ? -1 : 0);
    if (arg?.is !== "literal" || typeof arg.value !== "string" || checks[at.fn]?.(arg.value) !== false) return;
    issues.push({ at: arg.at, message: `invalid ${at.fn} argument` });
  });
  return issues;
}

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => !(readDuration(text) instanceof Failure),
  timestamp: (text) => !(readTimestamp(text) instanceof Failure),
  matches: isPattern,
};

/** A literal format against a literal list: as many arguments as it takes, and of types it can print. */
function formatIssues({ at, target, args: [list] }: Call, types: Checked["types"]): Issue[] {
  if (target?.is !== "literal" || typeof target.value !== "string" || list?.is !== "list") return [];
  const clauses = formatClauses(target.value);
  for (const [i, verb] of clauses.entries()) {
    const item = list.items[i];
    if (item === undefined) return [{ at, message: `index ${i} out of range` }];
    const problem = clauseProblem(verb, types.get(item)!.name);
    if (problem !== undefined) return [{ at: problem.startsWith("error") ? item.at : at, message: problem }];
  }
  if (clauses.length === list.items.length) return [];
  return [{ at, message: `too many arguments supplied to string.format (expected ${clauses.length}, got ${list.items.length})` }];
}

function isPattern(text: string): boolean {
  try {
    re2(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function visit(expr: Expr, look: (expr: Expr) => void): void {
  look(expr);
  for (const child of children(expr)) visit(child, look);
}

function children(expr: Expr): readonly Expr[] {
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
