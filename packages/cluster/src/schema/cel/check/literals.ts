import { re2 } from "../../pattern.ts";
import { readDuration, readTimestamp } from "../library/conversions.ts";
import type { Expr } from "../syntax/ast.ts";
import type { Issue } from "../syntax/issue.ts";
import { Failure } from "../values/value.ts";
import type { Checked } from "./checker.ts";

/** Durations, timestamps and patterns written as literals are looked at before they can fail. */
export function literalIssues({ expr }: Checked): Issue[] {
  const issues: Issue[] = [];
  visit(expr, (at) => {
    if (at.is !== "call") return;
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
