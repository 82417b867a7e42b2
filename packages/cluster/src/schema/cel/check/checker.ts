import type { Call, Comprehension, Expr, ListExpr, MapExpr, Select, StructExpr } from "../syntax/ast.ts";
import type { ExpressionIssue } from "../syntax/issue.ts";
import { Uint } from "../values/value.ts";
import type { FunctionDeclaration, Overload } from "./functions.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  formatArguments,
  formatType,
  INT,
  isDyn,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  param,
  STRING,
  sameType,
  type Type,
  UINT,
  unwrapOptional,
} from "./types.ts";
import { assignTypes, type Bindings, getMostGeneral, substituteParameters } from "./unify.ts";

export interface CheckerDeclarations {
  /** Variables, and type identifiers such as `int`, by name. */
  readonly variables: ReadonlyMap<string, Type>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  /** Struct types that message literals such as `Object.spec{replicas: 1}` can construct. Default: none. */
  readonly structs?: ((name: string) => Type | undefined) | undefined;
}

/** An expression with the annotations of the type checker. */
export interface CheckedExpression {
  readonly expr: Expr;
  readonly type: Type;
  readonly types: ReadonlyMap<Expr, Type>;
  /** Candidate overloads of each call; more than one when the argument types are only known at run time. */
  readonly overloads: ReadonlyMap<Expr, readonly Overload[]>;
  /** Qualified names of namespaced function calls and dotted references, by the node that spells them. */
  readonly names: ReadonlyMap<Expr, string>;
  /** Names of all variables the expression refers to, except the iteration variables of its macros. */
  readonly references: ReadonlySet<string>;
}

export function checkExpression(expr: Expr, declarations: CheckerDeclarations): CheckedExpression | readonly ExpressionIssue[] {
  const checker = new Checker(declarations);
  const type = checker.check(expr);
  if (checker.issues.length > 0) return checker.issues;
  if (checker.mixedTypeIssues.length > 0) return checker.mixedTypeIssues;
  return { expr, type: checker.finalizeType(type), ...checker.getAnnotations() };
}

class Checker {
  readonly issues: ExpressionIssue[] = [];
  /** List and map literals with items of different types; reported only when there are no other issues. */
  readonly mixedTypeIssues: ExpressionIssue[] = [];
  readonly #declarations: CheckerDeclarations;
  readonly #types = new Map<Expr, Type>();
  readonly #overloads = new Map<Expr, readonly Overload[]>();
  readonly #names = new Map<Expr, string>();
  readonly #references = new Set<string>();
  #bindings: Bindings = new Map();
  #locals: readonly ReadonlyMap<string, Type>[] = [];
  #fresh = 0;
  /** True while checking the arguments of format(), which may have any types. */
  #inFormat = false;

  constructor(declarations: CheckerDeclarations) {
    this.#declarations = declarations;
  }

  getAnnotations(): Pick<CheckedExpression, "types" | "overloads" | "names" | "references"> {
    const types = new Map([...this.#types].map(([expr, type]) => [expr, this.finalizeType(type)] as const));
    return { types, overloads: this.#overloads, names: this.#names, references: this.#references };
  }

  finalizeType(type: Type): Type {
    return substituteParameters(this.#bindings, type, true);
  }

  check(expr: Expr): Type {
    const type = this.#check(expr);
    this.#types.set(expr, type);
    return type;
  }

  #check(expr: Expr): Type {
    switch (expr.is) {
      case "literal":
        return getLiteralType(expr.value);
      case "ident": {
        const type = this.#lookup(expr.name);
        return type ?? this.#undeclared(expr, expr.name);
      }
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "comprehension":
        return this.#comprehension(expr);
    }
  }

  #lookup(name: string): Type | undefined {
    if (!name.startsWith(".")) {
      for (const scope of this.#locals) {
        const type = scope.get(name);
        if (type !== undefined) return type;
      }
    }
    const plain = name.replace(/^\./, "");
    const type = this.#declarations.variables.get(plain);
    if (type !== undefined) this.#references.add(plain);
    return type;
  }

  #report(at: Expr | number, message: string): Type {
    this.issues.push({ at: typeof at === "number" ? at : at.at, message });
    return ERROR;
  }

  #undeclared(expr: Expr, name: string): Type {
    return this.#report(expr, `undeclared reference to '${name}' (in container '')`);
  }

  #mismatch(at: Expr, expected: Type, found: Type): Type {
    return this.#report(at, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  #assignable(from: Type, to: Type): boolean {
    const bindings = assignTypes(this.#bindings, [from], [to]);
    if (bindings !== undefined) this.#bindings = bindings;
    return bindings !== undefined;
  }

  #select(expr: Select): Type {
    const qualified = expr.test ? undefined : getQualifiedName(expr);
    const variable = qualified === undefined ? undefined : this.#lookup(qualified);
    if (variable !== undefined) {
      this.#names.set(expr, qualified!);
      return variable;
    }
    const type = this.#fieldType(expr, expr.operand, expr.field, false);
    return expr.test ? BOOL : substituteParameters(this.#bindings, type);
  }

  #fieldType(expr: Expr, operand: Expr, field: string, optional: boolean): Type {
    const [target, wasOptional] = unwrapOptional(substituteParameters(this.#bindings, this.check(operand)));
    const wrap = (type: Type) => (wasOptional || optional ? optionalOf(type) : type);
    switch (target.kind) {
      case "map":
        return wrap(target.params[1]!);
      case "struct":
        return wrap(target.fields?.(field) ?? this.#report(expr, `undefined field '${field}'`));
      case "param":
        this.#assignable(DYN, target);
        return wrap(DYN);
      case "dyn":
      case "error":
        return wrap(DYN);
      default:
        this.#report(expr, `type '${formatType(target)}' does not support field selection`);
        return wrap(DYN);
    }
  }

  #call(expr: Call): Type {
    if (expr.fn === "_?._") {
      const [operand, field] = expr.args as [Expr, Expr & { value: string }];
      this.#types.set(field, STRING);
      return substituteParameters(this.#bindings, this.#fieldType(expr, operand, field.value, true));
    }
    const outer = this.#inFormat;
    this.#inFormat ||= expr.fn === "format" && expr.target !== undefined;
    const args = expr.args.map((arg) => this.check(arg));
    this.#inFormat = outer;
    if (expr.target === undefined) {
      const fn = this.#declarations.functions.get(expr.fn.replace(/^\./, ""));
      return fn === undefined ? this.#undeclared(expr, expr.fn) : this.#resolve(expr, fn, args, false);
    }
    const prefix = getQualifiedName(expr.target);
    const inNamespace = prefix === undefined ? undefined : this.#declarations.functions.get(`${prefix}.${expr.fn}`);
    if (inNamespace !== undefined) {
      this.#names.set(expr, inNamespace.name);
      return this.#resolve(expr, inNamespace, args, false);
    }
    const target = this.check(expr.target);
    const fn = this.#declarations.functions.get(expr.fn);
    return fn === undefined ? this.#undeclared(expr, expr.fn) : this.#resolve(expr, fn, [target, ...args], true);
  }

  #resolve(expr: Call, fn: FunctionDeclaration, args: readonly Type[], member: boolean): Type {
    if (fn.name === "_&&_" || fn.name === "_||_") return this.#logical(expr, fn, args);
    let result: Type | undefined;
    const found: Overload[] = [];
    for (const overload of fn.overloads) {
      if (overload.member !== member) continue;
      const [returns, ...takes] = this.#instance(overload);
      const bindings = assignTypes(this.#bindings, args, takes);
      if (bindings === undefined) continue;
      this.#bindings = bindings;
      found.push(overload);
      const type = substituteParameters(bindings, returns!);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(type, result)) result = DYN;
    }
    if (result === undefined) {
      const types = args.map((type) => this.finalizeType(type));
      return this.#report(expr, `found no matching overload for '${fn.name}' applied to '${formatArguments(types, member)}'`);
    }
    this.#overloads.set(expr, found);
    return result;
  }

  #logical(expr: Call, fn: FunctionDeclaration, args: readonly Type[]): Type {
    let ok = true;
    for (const [i, type] of args.entries()) {
      if (this.#assignable(type, BOOL)) continue;
      this.#mismatch(expr.args[i]!, BOOL, substituteParameters(this.#bindings, type));
      ok = false;
    }
    if (!ok) return ERROR;
    this.#overloads.set(expr, fn.overloads);
    return BOOL;
  }

  /** Returns the result and argument types of an overload with fresh type parameters. */
  #instance(overload: Overload): readonly Type[] {
    const renamed = new Map<string, Type>();
    const rename = (type: Type): Type => {
      if (type.kind === "param") {
        if (!renamed.has(type.name)) renamed.set(type.name, this.#variable());
        return renamed.get(type.name)!;
      }
      return type.params.length === 0 ? type : { ...type, params: type.params.map(rename) };
    };
    return [overload.result, ...overload.args].map(rename);
  }

  #variable(): Type {
    return param(`_var${this.#fresh++}`);
  }

  #join(at: Expr, previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current;
    if (this.#assignable(previous, current)) return getMostGeneral(previous, current);
    if (!this.#inFormat) {
      const [expected, found] = [previous, current].map((type) => formatType(substituteParameters(this.#bindings, type)));
      this.mixedTypeIssues.push({ at: at.at, message: `expected type '${expected}' but found '${found}'` });
    }
    return DYN;
  }

  #unwrapped(at: Expr, type: Type, optional: boolean): Type {
    if (!optional) return type;
    const [inner, wasOptional] = unwrapOptional(type);
    if (!wasOptional && !isDyn(inner)) this.#mismatch(at, optionalOf(inner), inner);
    return inner;
  }

  #list(expr: ListExpr): Type {
    let item: Type | undefined;
    for (const [i, one] of expr.items.entries()) {
      const type = this.#unwrapped(one, this.check(one), expr.optional.has(i));
      item = this.#join(one, item, type);
    }
    return listOf(item ?? this.#variable());
  }

  #map(expr: MapExpr): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of expr.entries) {
      key = this.#join(entry.key, key, this.check(entry.key));
      value = this.#join(entry.value, value, this.#unwrapped(entry.value, this.check(entry.value), entry.optional));
    }
    return mapOf(key ?? this.#variable(), value ?? this.#variable());
  }

  #struct(expr: StructExpr): Type {
    const type = this.#declarations.structs?.(expr.type);
    for (const { at, name, value } of expr.fields) {
      const found = this.check(value);
      if (type === undefined) continue;
      const expected = type.fields?.(name);
      if (expected === undefined) this.#report(at, `undefined field '${name}'`);
      else if (!this.#assignable(expected, found)) this.#mismatchedField(at, name, expected, found);
    }
    return type ?? this.#undeclared(expr, expr.type);
  }

  #mismatchedField(at: number, name: string, expected: Type, found: Type): void {
    const [is, was] = [formatType(expected), formatType(substituteParameters(this.#bindings, found))];
    this.#report(at, `expected type of field '${name}' is '${is}' but provided type is '${was}'`);
  }

  #comprehension(expr: Comprehension): Type {
    const range = substituteParameters(this.#bindings, this.check(expr.range));
    const accu = this.check(expr.init);
    const [first, second] = this.#iterated(expr, range);
    const outer = this.#locals;
    const withAccu = [new Map([[expr.accuVar, accu]]), ...outer];
    const vars = new Map([[expr.iterVar, first]]);
    if (expr.iterVar2 !== undefined) vars.set(expr.iterVar2, second);
    this.#locals = [vars, ...withAccu];
    this.#assert(expr.condition, BOOL);
    this.#assert(expr.step, accu);
    this.#locals = withAccu;
    const result = this.check(expr.result);
    this.#locals = outer;
    return substituteParameters(this.#bindings, result);
  }

  #iterated(expr: Comprehension, range: Type): readonly [Type, Type] {
    const two = expr.iterVar2 !== undefined;
    switch (range.kind) {
      case "list":
        return two ? [INT, range.params[0]!] : [range.params[0]!, DYN];
      case "map":
        return [range.params[0]!, range.params[1]!];
      case "dyn":
      case "error":
      case "param":
        this.#assignable(DYN, range);
        return [DYN, DYN];
      default:
        this.#report(
          expr.range,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [ERROR, ERROR];
    }
  }

  #assert(expr: Expr, expected: Type): void {
    const type = this.check(expr);
    if (!this.#assignable(expected, type))
      this.#mismatch(expr, substituteParameters(this.#bindings, expected), substituteParameters(this.#bindings, type));
  }
}

function getLiteralType(value: unknown): Type {
  switch (typeof value) {
    case "string":
      return STRING;
    case "bigint":
      return INT;
    case "number":
      return DOUBLE;
    case "boolean":
      return BOOL;
  }
  if (value === null) return NULL;
  return value instanceof Uint ? UINT : BYTES;
}

/** Returns `a.b.c` as one qualified name if the expression consists of identifiers only. */
export function getQualifiedName(expr: Expr): string | undefined {
  if (expr.is === "ident") return expr.name;
  if (expr.is !== "select" || expr.test) return undefined;
  const prefix = getQualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
