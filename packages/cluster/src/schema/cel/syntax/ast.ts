import type { Value } from "../values/value.ts";

/** A node of a parsed expression. `at` is the offset into the source that errors point to. */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension;

interface Node {
  readonly at: number;
}
export interface Literal extends Node {
  readonly is: "literal";
  readonly value: Value;
}
export interface Ident extends Node {
  readonly is: "ident";
  readonly name: string;
}
export interface Select extends Node {
  readonly is: "select";
  readonly operand: Expr;
  readonly field: string;
  /** True for has(operand.field). */
  readonly test: boolean;
}
/** A call of a function, of an operator (`_+_`) or, with a target, of a member function. */
export interface Call extends Node {
  readonly is: "call";
  readonly fn: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}
export interface ListExpr extends Node {
  readonly is: "list";
  readonly items: readonly Expr[];
  /** Indexes of the items written `?item`. */
  readonly optional: ReadonlySet<number>;
}
export interface MapEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}
export interface MapExpr extends Node {
  readonly is: "map";
  readonly entries: readonly MapEntry[];
}
export interface StructExpr extends Node {
  readonly is: "struct";
  readonly type: string;
  readonly fields: readonly (Node & { readonly name: string; readonly value: Expr })[];
}
/** The expansion of all macros: folds a range into an accumulator. */
export interface Comprehension extends Node {
  readonly is: "comprehension";
  readonly range: Expr;
  readonly iterVar: string;
  readonly iterVar2: string | undefined;
  readonly accuVar: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Name of the accumulator variable of macros; not a valid identifier in the source. */
export const ACCUMULATOR = "@result";

export function call(at: number, fn: string, ...args: Expr[]): Call {
  return { is: "call", at, fn, target: undefined, args };
}
export function memberCall(at: number, target: Expr, fn: string, ...args: Expr[]): Call {
  return { is: "call", at, fn, target, args };
}
export function ident(at: number, name: string): Ident {
  return { is: "ident", at, name };
}
export function literal(at: number, value: Value): Literal {
  return { is: "literal", at, value };
}
export function list(at: number, ...items: Expr[]): ListExpr {
  return { is: "list", at, items, optional: new Set() };
}

/** Returns a deep copy of an expression, because types and sizes are stored per node. */
export function copy(expr: Expr): Expr {
  switch (expr.is) {
    case "literal":
    case "ident":
      return { ...expr };
    case "select":
      return { ...expr, operand: copy(expr.operand) };
    case "call":
      return { ...expr, target: expr.target && copy(expr.target), args: expr.args.map(copy) };
    case "list":
      return { ...expr, items: expr.items.map(copy) };
    case "map":
      return { ...expr, entries: expr.entries.map((entry) => ({ ...entry, key: copy(entry.key), value: copy(entry.value) })) };
    case "struct":
      return { ...expr, fields: expr.fields.map((field) => ({ ...field, value: copy(field.value) })) };
    case "comprehension":
      return {
        ...expr,
        range: copy(expr.range),
        init: copy(expr.init),
        condition: copy(expr.condition),
        step: copy(expr.step),
        result: copy(expr.result),
      };
  }
}
