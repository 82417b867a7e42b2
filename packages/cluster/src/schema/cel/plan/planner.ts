import { checkPattern, createMatchBudget, MatchBudgetExceeded } from "../../re2/index.ts";
import type { CheckedExpression } from "../check/checker.ts";
import type { Overload } from "../check/functions.ts";
import { getCallCost, LIST_CREATE_COST, MAP_CREATE_COST, REGEX_WORK_PER_COST, STRUCT_CREATE_COST } from "../cost/actual.ts";
import { getFunctionDeclarations } from "../library/functions.ts";
import type { Call, Comprehension, Expr, Ident, ListExpr, MapExpr, Select, StructExpr } from "../syntax/ast.ts";
import {
  createFailure,
  Failure,
  getMapKey,
  ListValue,
  MapValue,
  NO_OVERLOAD,
  Optional,
  PlainList,
  PlainMap,
  StructValue,
  TypeValue,
  type Value,
} from "../values/value.ts";
import { createNoOverloadFailure, findOverload, getGoTypeName, isDynamic } from "./dispatch.ts";
import { addCost, CostExceeded, type EvaluationState, type EvaluationStep } from "./evaluation.ts";

/** A checked expression, planned for evaluation. */
export interface Program {
  /**
   * Evaluates the expression; the value is a `Failure` if evaluation fails. `variables` are in the order given to the
   * planner. Throws `CostExceeded` when the cost exceeds `limit`.
   */
  run(variables: readonly Value[], limit: number): { readonly value: Value; readonly cost: number };
}

const typeNames: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "int",
  "list",
  "map",
  "null_type",
  "string",
  "type",
  "uint",
  "google.protobuf.Duration",
  "google.protobuf.Timestamp",
]);

/** Thrown if a constant subexpression fails to evaluate at planning time. */
export class PlanError extends Error {
  override readonly name = "PlanError";
}

/** Plans a checked expression. Throws `PlanError`. */
export function planProgram(checked: CheckedExpression, variables: readonly string[]): Program {
  const planner = new Planner(checked, variables);
  const step = planner.plan(checked.expr);
  const slots = planner.slots;
  return {
    run(values, limit) {
      const run: EvaluationState = { slots: new Array<Value>(slots), cost: 0, limit };
      for (let i = 0; i < values.length; i++) run.slots[i] = values[i]!;
      const value = step(run);
      return { value, cost: run.cost };
    },
  };
}

const conversionNames: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

class Planner {
  readonly #checked: CheckedExpression;
  readonly #scope = new Map<string, number>();
  slots = 0;

  constructor(checked: CheckedExpression, variables: readonly string[]) {
    this.#checked = checked;
    for (const name of variables) this.#scope.set(name, this.slots++);
  }

  plan(expr: Expr): EvaluationStep {
    switch (expr.is) {
      case "literal": {
        const { value } = expr;
        return () => value;
      }
      case "ident":
        return this.#variable(expr.name);
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

  #variable(name: string): EvaluationStep {
    const slot = this.#scope.get(name.replace(/^\./, ""));
    if (slot === undefined) {
      const type = typeNames.has(name) ? new TypeValue(name) : createFailure(`undeclared reference to '${name}'`);
      return () => type;
    }
    return (run) => {
      addCost(run, 1);
      return run.slots[slot]!;
    };
  }

  #select(expr: Select): EvaluationStep {
    const name = this.#checked.names.get(expr);
    if (name !== undefined) return this.#variable(name);
    const operand = this.plan(expr.operand);
    const { field } = expr;
    if (expr.test) return (run) => hasField(operand(run), field);
    const cost = isAttribute(expr.operand) ? 1 : 2;
    return (run) => {
      const value = operand(run);
      addCost(run, cost);
      return selectField(value, field);
    };
  }

  #call(expr: Call): EvaluationStep {
    const args = expr.args.map((arg) => this.plan(arg));
    switch (expr.fn) {
      case "_&&_":
        return planLogical(args[0]!, args[1]!, false);
      case "_||_":
        return planLogical(args[0]!, args[1]!, true);
      case "_?_:_":
        return planConditional(args[0]!, args[1]!, args[2]!);
      case "@not_strictly_false":
        return planNotStrictlyFalse(args[0]!);
      case "_?._":
        return planOptionalField(args[0]!, (expr.args[1] as { readonly value: Value }).value as string);
    }
    const overloads = this.#checked.overloads.get(expr) ?? [];
    const fn = this.#checked.names.get(expr) ?? expr.fn;
    const steps = expr.target === undefined || this.#checked.names.has(expr) ? args : [this.plan(expr.target), ...args];
    if (overloads.some(({ id }) => id === "optional_or_optional")) return planOrElse(steps[0]!, steps[1]!, (value) => value);
    if (overloads.some(({ id }) => id === "optional_orValue_value")) return planOrElse(steps[0]!, steps[1]!, ({ value }) => value!);
    if (conversionNames.has(fn) && expr.args.length === 1 && expr.args[0]!.is === "literal" && overloads.length === 1) {
      const value = overloads[0]!.run(expr.args[0]!.value);
      if (value instanceof Failure) throw new PlanError(value.message);
      return () => value;
    }
    if (fn === "find" || fn === "findAll") checkRegexLiteral(expr.args[0]);
    return this.#plainCall(expr, fn, overloads, steps);
  }

  #plainCall(expr: Call, fn: string, overloads: readonly Overload[], steps: readonly EvaluationStep[]): EvaluationStep {
    const operands = expr.target === undefined || this.#checked.names.has(expr) ? expr.args : [expr.target, ...expr.args];
    const known = overloads.length === 1 && !operands.some((operand) => isDynamic(this.#checked.types.get(operand)!));
    const sameStyle =
      getFunctionDeclarations()
        .get(fn)
        ?.overloads.filter(({ member }) => member === overloads[0]?.member) ?? overloads;
    // With operands of dynamic types, every overload of the same call style is a candidate.
    const candidates = known ? overloads : sameStyle;
    const only = known ? overloads[0] : undefined;
    return (run) => {
      const values = new Array<Value>(steps.length);
      for (let i = 0; i < steps.length; i++) values[i] = steps[i]!(run);
      for (const value of values) if (value instanceof Failure) return value;
      const overload = only ?? findOverload(candidates, values);
      if (overload === undefined) return createNoOverloadFailure(fn, values);
      const result = overload.isRegex ? runRegex(run, overload, values) : overload.run(...values);
      addCost(run, getCallCost(fn, overload.id, values, result));
      return result;
    };
  }

  #list(expr: ListExpr): EvaluationStep {
    const items = expr.items.map((item) => this.plan(item));
    if (expr.optional.size === 0 && expr.items.every(({ is }) => is === "literal")) {
      const constant = new PlainList(expr.items.map((item) => (item as { readonly value: Value }).value));
      return () => constant;
    }
    return (run) => {
      const values: Value[] = [];
      for (const [i, item] of items.entries()) {
        const value = item(run);
        if (value instanceof Failure) return value;
        if (!expr.optional.has(i)) values.push(value);
        else if (!(value instanceof Optional)) return NO_OVERLOAD;
        else if (value.value !== undefined) values.push(value.value);
      }
      addCost(run, LIST_CREATE_COST);
      return new PlainList(values);
    };
  }

  #map(expr: MapExpr): EvaluationStep {
    const entries = expr.entries.map(({ key, value, optional }) => ({ key: this.plan(key), value: this.plan(value), optional }));
    return (run) => {
      const entriesById = new Map<string, readonly [Value, Value]>();
      for (const entry of entries) {
        const key = entry.key(run);
        const value = entry.value(run);
        if (key instanceof Failure) return key;
        if (value instanceof Failure) return value;
        const id = getMapKey(key);
        if (id === undefined) return createFailure(`unsupported key type: ${String(key)}`);
        if (entriesById.has(id)) return createFailure(`Failed with repeated key: ${String(key)}`);
        const present = entry.optional ? (value as Optional).value : value;
        if (present !== undefined) entriesById.set(id, [key, present]);
      }
      addCost(run, MAP_CREATE_COST);
      return new PlainMap(entriesById);
    };
  }

  #struct(expr: StructExpr): EvaluationStep {
    const fields = expr.fields.map(({ name, value }) => ({ name, value: this.plan(value) }));
    return (run) => {
      const fieldsByName = new Map<string, Value>();
      for (const { name, value } of fields) {
        const found = value(run);
        if (found instanceof Failure) return found;
        fieldsByName.set(name, found);
      }
      addCost(run, STRUCT_CREATE_COST);
      return new StructValue(expr.type, fieldsByName);
    };
  }

  #comprehension(expr: Comprehension): EvaluationStep {
    const range = this.plan(expr.range);
    const init = expr.init.is === "list" && expr.init.items.length === 0 ? () => new AppendableList() : this.plan(expr.init);
    const accu = this.slots++;
    const first = this.slots++;
    const second = expr.iterVar2 === undefined ? undefined : this.slots++;
    const outer = [expr.accuVar, expr.iterVar, expr.iterVar2 ?? ""].map((name) => [name, this.#scope.get(name)] as const);
    this.#scope.set(expr.accuVar, accu);
    this.#scope.set(expr.iterVar, first);
    if (expr.iterVar2 !== undefined) this.#scope.set(expr.iterVar2, second!);
    const condition = this.plan(expr.condition);
    const step = this.plan(expr.step);
    this.#restore(outer.slice(1));
    const result = this.plan(expr.result);
    this.#restore(outer.slice(0, 1));
    return (run) => {
      const over = range(run);
      if (over instanceof Failure) return over;
      if (!(over instanceof ListValue || over instanceof MapValue))
        return createFailure(`got '${getGoTypeName(over)}', expected iterable type`);
      run.slots[accu] = init(run);
      for (const [key, value] of iterateEntries(over, second !== undefined)) {
        run.slots[first] = key;
        if (second !== undefined) run.slots[second] = value;
        if (condition(run) !== true) break;
        run.slots[accu] = step(run);
      }
      return result(run);
    };
  }

  #restore(names: readonly (readonly [string, number | undefined])[]): void {
    for (const [name, slot] of names) {
      if (slot === undefined) this.#scope.delete(name);
      else this.#scope.set(name, slot);
    }
  }
}

/** A pattern may take more time than its length suggests: `(a|b){500}`. The work is limited by the cost that is left, and charged. */
function runRegex(run: EvaluationState, overload: Overload, values: readonly Value[]): Value {
  const budget = createMatchBudget((run.limit - run.cost) * REGEX_WORK_PER_COST);
  const available = budget.remaining;
  try {
    const result = overload.run(budget, ...values);
    addCost(run, Math.floor((available - budget.remaining) / REGEX_WORK_PER_COST));
    return result;
  } catch (error) {
    throw error instanceof MatchBudgetExceeded ? new CostExceeded() : error;
  }
}

function checkRegexLiteral(arg: Expr | undefined): void {
  if (arg?.is !== "literal" || typeof arg.value !== "string") return;
  try {
    checkPattern(arg.value);
  } catch (error) {
    throw error instanceof SyntaxError ? new PlanError(error.message) : error;
  }
}

/**
 * Returns whether the expression is an attribute: a chain of identifiers, fields and indexes, which cel-go resolves in
 * one step.
 */
function isAttribute(expr: Expr): boolean {
  if (expr.is === "ident") return true;
  if (expr.is === "select") return !expr.test && isAttribute(expr.operand);
  return expr.is === "call" && expr.fn === "_[_]" && isAttribute(expr.args[0] as Ident);
}

/** Iterates over items or keys; with two variables, over indexes and items or keys and values. */
function* iterateEntries(range: ListValue | MapValue, two: boolean): Generator<readonly [Value, Value]> {
  if (range instanceof ListValue) {
    let i = 0n;
    for (const item of range.values()) yield two ? [i++, item] : [item, item];
  } else {
    for (const key of range.keys()) yield [key, two ? range.find(key)! : key];
  }
}

function selectField(value: Value, field: string): Value {
  if (value instanceof MapValue) return value.find(field) ?? createFailure(`no such key: ${field}`);
  if (value instanceof Failure) return value;
  if (value instanceof Optional) return value.value === undefined ? Optional.none : selectOptionalField(value.value, field);
  return createFailure(`no such key: ${field}`);
}

function selectOptionalField(value: Value, field: string): Value {
  if (value instanceof Failure) return value;
  if (value instanceof Optional) return value.value === undefined ? Optional.none : selectOptionalField(value.value, field);
  if (!(value instanceof MapValue)) return Optional.none;
  const found = value.find(field);
  return found === undefined ? Optional.none : found instanceof Failure ? found : new Optional(found);
}

function planOptionalField(operand: EvaluationStep, field: string): EvaluationStep {
  return (run) => {
    const value = operand(run);
    addCost(run, 1);
    return selectOptionalField(value, field);
  };
}

function hasField(value: Value, field: string): Value {
  if (value instanceof Failure) return value;
  if (value instanceof Optional) return value.value === undefined ? false : hasField(value.value, field);
  return value instanceof MapValue && value.find(field) !== undefined;
}

/** Plans && or ||: either side may decide the result, even if the other one fails. */
function planLogical(left: EvaluationStep, right: EvaluationStep, decisive: boolean): EvaluationStep {
  return (run) => {
    const a = left(run);
    if (a === decisive) return a;
    const b = right(run);
    if (b === decisive) return b;
    if (a instanceof Failure) return a;
    if (b instanceof Failure) return b;
    return typeof a === "boolean" && typeof b === "boolean" ? b : NO_OVERLOAD;
  };
}

function planConditional(condition: EvaluationStep, yes: EvaluationStep, no: EvaluationStep): EvaluationStep {
  return (run) => {
    const value = condition(run);
    if (value === true) return yes(run);
    if (value === false) return no(run);
    return value instanceof Failure ? value : NO_OVERLOAD;
  };
}

function planNotStrictlyFalse(operand: EvaluationStep): EvaluationStep {
  return (run) => {
    const value = operand(run);
    addCost(run, 1);
    return value !== false;
  };
}

function planOrElse(left: EvaluationStep, right: EvaluationStep, take: (value: Optional) => Value): EvaluationStep {
  return (run) => {
    const value = left(run);
    if (!(value instanceof Optional)) return value;
    return value.value === undefined ? right(run) : take(value);
  };
}

/** Macros append one item at a time. */
const MAX_APPENDED = 4;

/**
 * The accumulator of list macros. Appending to the newest list reuses its storage, so building a list of n items takes
 * O(n) time. Older lists do not change.
 */
class AppendableList extends ListValue {
  readonly #items: Value[];
  readonly size: number;

  constructor(items: Value[] = [], size = items.length) {
    super();
    this.#items = items;
    this.size = size;
  }

  at(index: number): Value {
    return this.#items[index]!;
  }

  override concat(other: ListValue): ListValue {
    if (this.#items.length !== this.size || other.size > MAX_APPENDED) return super.concat(other);
    for (const item of other.values()) this.#items.push(item);
    return new AppendableList(this.#items);
  }
}
