/**
 * The Common Expression Language with the libraries of Kubernetes. In come expressions and the types of their
 * variables; out come programs that can be costed before and while they run, or the errors cel-go would print. It
 * knows nothing of schemas: those who use it bring types and values.
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
export type { SizeOfPath } from "./cost/estimate.ts";
export { type Compiled, CompileError, compile, isBool, isString, UnusableError } from "./environment.ts";
export { type AccessDecision, type AccessQuestion, type Asker, AuthorizerValue, type Decide, ResourceCheck } from "./library/authz.ts";
export { readTimestamp } from "./library/conversions.ts";
export { CostExceeded } from "./plan/run.ts";
export { equal } from "./values/equal.ts";
export {
  Duration,
  Failure,
  fail,
  ListValue,
  MapValue,
  mapKey,
  NO_OVERLOAD,
  Optional,
  PlainList,
  StructValue,
  Timestamp,
  type Value,
} from "./values/value.ts";
