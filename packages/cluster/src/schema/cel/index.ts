/**
 * The Common Expression Language with the function libraries of Kubernetes. Takes expressions and the types of their
 * variables; returns programs with estimated and actual costs, or the errors that cel-go would print. It is independent
 * of schemas: the callers supply types and values.
 */
export {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  formatType,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  optionalOf,
  STRING,
  sameType,
  struct,
  TIMESTAMP,
  type Type,
} from "./check/types.ts";
export type { SizeEstimator } from "./cost/estimate.ts";
export { type CompiledExpression, CompileError, compileExpression, isBool, isString, ProgramError } from "./environment.ts";
export {
  type AuthorizeFunction,
  type AuthorizerAttributes,
  type AuthorizerDecision,
  type AuthorizerUser,
  AuthorizerValue,
  ResourceCheck,
} from "./library/authz.ts";
export { parseTimestampValue } from "./library/conversions.ts";
export { CostExceeded } from "./plan/evaluation.ts";
export type { Expr } from "./syntax/ast.ts";
export { CelSyntaxError } from "./syntax/issue.ts";
export { parseExpression } from "./syntax/parser.ts";
export { equalValues } from "./values/equal.ts";
export {
  createFailure,
  Duration,
  Failure,
  getMapKey,
  ListValue,
  MapValue,
  NO_OVERLOAD,
  Optional,
  PlainList,
  StructValue,
  Timestamp,
  type Value,
} from "./values/value.ts";
