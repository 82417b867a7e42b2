import { type Checked, check } from "./check/checker.ts";
import { literalIssues } from "./check/literals.ts";
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
import { estimateCost, type SizeOfPath } from "./cost/estimate.ts";
import type { Range } from "./cost/range.ts";
import { functions } from "./library/index.ts";
import { PlanError, type Program, plan } from "./plan/planner.ts";
import { describeIssues, SyntaxIssue } from "./syntax/issue.ts";
import { parse } from "./syntax/parser.ts";

/** An expression that compiled. */
export interface Compiled extends Program {
  readonly type: Type;
  /** Variables it refers to. */
  readonly references: ReadonlySet<string>;
  /** What it may cost, given how big things may be. */
  estimate(sizeOfPath: SizeOfPath): Range;
}

/** Why an expression did not compile, the way cel-go prints it. */
export class CompileError extends Error {
  override readonly name: string = "CompileError";
}

/** It compiled, but can never run. */
export class UnusableError extends CompileError {
  override readonly name = "UnusableError";
}

const types: Readonly<Record<string, Type>> = {
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
const typeNames = Object.entries(types).map(([name, type]) => [name, typeOf(type)] as const);

/** Compiles an expression over some variables; they are passed in this order when it runs. `structs` can be made by name. Throws a CompileError. */
export function compile(source: string, variables: Readonly<Record<string, Type>>, structs?: (name: string) => Type | undefined): Compiled {
  const checked = checkedExpression(source, variables, structs);
  const program = planned(checked, Object.keys(variables));
  return {
    ...program,
    type: checked.type,
    references: checked.references,
    estimate: (sizeOfPath) => estimateCost(checked, sizeOfPath),
  };
}

function planned(checked: Checked, variables: readonly string[]): Program {
  try {
    return plan(checked, variables);
  } catch (error) {
    throw error instanceof PlanError ? new UnusableError(error.message) : error;
  }
}

function checkedExpression(
  source: string,
  variables: Readonly<Record<string, Type>>,
  structs?: (name: string) => Type | undefined,
): Checked {
  try {
    const expr = parse(source);
    const declared = new Map([...typeNames, ...Object.entries(variables)]);
    const checked = check(expr, { variables: declared, functions: functions(), structs });
    const issues = "expr" in checked ? literalIssues(checked) : checked;
    if (issues.length > 0) throw new CompileError(describeIssues(source, issues));
    return checked as Checked;
  } catch (error) {
    if (error instanceof SyntaxIssue) throw new CompileError(describeIssues(source, [{ at: error.at, message: error.message }]));
    throw error;
  }
}

export function isBool(type: Type): boolean {
  return sameType(type, BOOL);
}
export function isString(type: Type): boolean {
  return sameType(type, STRING);
}
