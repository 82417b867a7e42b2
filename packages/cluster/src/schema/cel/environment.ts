import { type CheckedExpression, checkExpression } from "./check/checker.ts";
import { findLiteralIssues } from "./check/literals.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  STRING,
  sameType,
  TIMESTAMP,
  type Type,
  typeOf,
  UINT,
} from "./check/types.ts";
import { estimateCost, type SizeEstimator } from "./cost/estimate.ts";
import type { EstimateRange } from "./cost/estimate-range.ts";
import { getFunctionDeclarations } from "./library/functions.ts";
import { PlanError, type Program, planProgram } from "./plan/planner.ts";
import { CelSyntaxError, describeIssues } from "./syntax/issue.ts";
import { parseExpression } from "./syntax/parser.ts";

/** A compiled expression. */
export interface CompiledExpression extends Program {
  readonly type: Type;
  /** Names of the variables the expression refers to. */
  readonly references: ReadonlySet<string>;
  /** Estimates the cost of the expression from the sizes of its variables. */
  estimate(sizeOfPath: SizeEstimator): EstimateRange;
}

/** Thrown if an expression does not compile. The message is that of cel-go. */
export class CompileError extends Error {
  override readonly name: string = "CompileError";
}

/** Thrown if an expression compiles, but its program cannot be instantiated. */
export class ProgramError extends CompileError {
  override readonly name = "UnusableError";
}

const standardTypes: Readonly<Record<string, Type>> = {
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  int: INT,
  list: listOf(DYN),
  map: mapOf(DYN, DYN),
  null_type: NULL,
  string: STRING,
  uint: UINT,
  type: typeOf(DYN),
  "google.protobuf.Duration": DURATION,
  "google.protobuf.Timestamp": TIMESTAMP,
};
const typeNames = Object.entries(standardTypes).map(([name, type]) => [name, typeOf(type)] as const);

/**
 * Compiles an expression over the given variables, which are passed to the program in this order. `structs` resolves
 * the types of message literals. Throws `CompileError`.
 */
export function compileExpression(
  source: string,
  variables: Readonly<Record<string, Type>>,
  structs?: (name: string) => Type | undefined,
): CompiledExpression {
  const checked = parseAndCheck(source, variables, structs);
  const program = createProgram(checked, Object.keys(variables));
  return {
    ...program,
    type: checked.type,
    references: checked.references,
    estimate: (sizeOfPath) => estimateCost(checked, sizeOfPath),
  };
}

function createProgram(checked: CheckedExpression, variables: readonly string[]): Program {
  try {
    return planProgram(checked, variables);
  } catch (error) {
    throw error instanceof PlanError ? new ProgramError(error.message) : error;
  }
}

function parseAndCheck(
  source: string,
  variables: Readonly<Record<string, Type>>,
  structs?: (name: string) => Type | undefined,
): CheckedExpression {
  try {
    const expr = parseExpression(source);
    if (!("is" in expr)) throw new CompileError(describeIssues(source, expr));
    const declared = new Map([...typeNames, ...Object.entries(variables)]);
    const checked = checkExpression(expr, { variables: declared, functions: getFunctionDeclarations(), structs });
    const issues = "expr" in checked ? findLiteralIssues(checked) : checked;
    if (issues.length > 0) throw new CompileError(describeIssues(source, issues));
    return checked as CheckedExpression;
  } catch (error) {
    if (error instanceof CelSyntaxError) throw new CompileError(describeIssues(source, [{ at: error.at, message: error.message }]));
    throw error;
  }
}

export function isBool(type: Type): boolean {
  return sameType(type, BOOL);
}
export function isString(type: Type): boolean {
  return sameType(type, STRING);
}
