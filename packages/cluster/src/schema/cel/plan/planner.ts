import { re2 } from "../../pattern.ts";
import type { Checked } from "../check/checker.ts";
import type { Overload } from "../check/functions.ts";
import { callCost, LIST_COST, MAP_COST, STRUCT_COST } from "../cost/actual.ts";
import { functions } from "../library/index.ts";
import type { Call, Comprehension, Expr, Ident, ListExpr, MapExpr, Select, StructExpr } from "../syntax/ast.ts";
import {
  Failure,
  fail,
  ListValue,
  MapValue,
  mapKey,
  NO_OVERLOAD,
  Optional,
  PlainList,
  PlainMap,
  StructValue,
  TypeValue,
  type Value,
} from "../values/value.ts";
import { goTypeName, isDynamic, noOverload, overloadFor } from "./dispatch.ts";
import { GrowingList } from "./growing-list.ts";
import { type Run, type Step, spend } from "./run.ts";

/** A checked expression made ready to run. */
export interface Program {
  /** The value, a Failure if there is none; throws CostExceeded. `variables` in the order given when planning. */
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

/** A part of the expression that can be evaluated beforehand has no value. */
export class PlanError extends Error {
  override readonly name = "PlanError";
}

/** Throws a PlanError. */
export function plan(checked: Checked, variables: readonly string[]): Program {
  const planner = new Planner(checked, variables);
  const step = planner.plan(checked.expr);
  const slots = planner.slots;
  return {
    run(values, limit) {
      const run: Run = { slots: new Array<Value>(slots), cost: 0, limit };
      for (let i = 0; i < values.length; i++) run.slots[i] = values[i]!;
      const value = step(run);
      return { value, cost: run.cost };
    },
  };
}

const conversions: ReadonlySet<string> = new Set([
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
  readonly #checked: Checked;
  readonly #scope = new Map<string, number>();
  slots = 0;

  constructor(checked: Checked, variables: readonly string[]) {
    this.#checked = checked;
    for (const name of variables) this.#scope.set(name, this.slots++);
  }

  plan(expr: Expr): Step {
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

  #variable(name: string): Step {
    const slot = this.#scope.get(name.replace(/^\./, ""));
    if (slot === undefined) {
      const type = typeNames.has(name) ? new TypeValue(name) : fail(`undeclared reference to '${name}'`);
      return () => type;
    }
    return (run) => {
      spend(run, 1);
      return run.slots[slot]!;
    };
  }

  #select(expr: Select): Step {
    const name = this.#checked.names.get(expr);
    if (name !== undefined) return this.#variable(name);
    const operand = this.plan(expr.operand);
    const { field } = expr;
    if (expr.test) return (run) => hasField(operand(run), field);
    const cost = isAttribute(expr.operand) ? 1 : 2;
    return (run) => {
      const value = operand(run);
      spend(run, cost);
      return fieldOf(value, field);
    };
  }

  #call(expr: Call): Step {
    const args = expr.args.map((arg) => this.plan(arg));
    switch (expr.fn) {
      case "_&&_":
        return logical(args[0]!, args[1]!, false);
      case "_||_":
        return logical(args[0]!, args[1]!, true);
      case "_?_:_":
        return conditional(args[0]!, args[1]!, args[2]!);
      case "@not_strictly_false":
        return notStrictlyFalse(args[0]!);
      case "_?._":
        return optionalField(args[0]!, (expr.args[1] as { readonly value: Value }).value as string);
    }
    const overloads = this.#checked.overloads.get(expr) ?? [];
    const fn = this.#checked.names.get(expr) ?? expr.fn;
    const steps = expr.target === undefined || this.#checked.names.has(expr) ? args : [this.plan(expr.target), ...args];
    if (overloads.some(({ id }) => id === "optional_or_optional")) return orElse(steps[0]!, steps[1]!, (value) => value);
    if (overloads.some(({ id }) => id === "optional_orValue_value")) return orElse(steps[0]!, steps[1]!, ({ value }) => value!);
    if (conversions.has(fn) && expr.args.length === 1 && expr.args[0]!.is === "literal" && overloads.length === 1) {
      const value = overloads[0]!.run(expr.args[0]!.value);
      if (value instanceof Failure) throw new PlanError(value.message);
      return () => value;
    }
    if (fn === "find" || fn === "findAll") checkPattern(expr.args[0]);
    return this.#plainCall(expr, fn, overloads, steps);
  }

  #plainCall(expr: Call, fn: string, overloads: readonly Overload[], steps: readonly Step[]): Step {
    const operands = expr.target === undefined || this.#checked.names.has(expr) ? expr.args : [expr.target, ...expr.args];
    const known = overloads.length === 1 && !operands.some((operand) => isDynamic(this.#checked.types.get(operand)!));
    const sameStyle =
      functions()
        .get(fn)
        ?.overloads.filter(({ member }) => member === overloads[0]?.member) ?? overloads;
    // A member of a value of any type may be any of a function's overloads.
    const candidates = known ? overloads : sameStyle;
    const only = known ? overloads[0] : undefined;
    return (run) => {
      const values = new Array<Value>(steps.length);
      for (let i = 0; i < steps.length; i++) values[i] = steps[i]!(run);
      for (const value of values) if (value instanceof Failure) return value;
      const overload = only ?? overloadFor(candidates, values);
      if (overload === undefined) return noOverload(fn, values);
      const result = overload.run(...values);
      spend(run, callCost(fn, overload.id, values, result));
      return result;
    };
  }

  #list(expr: ListExpr): Step {
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
      spend(run, LIST_COST);
      return new PlainList(values);
    };
  }

  #map(expr: MapExpr): Step {
    const entries = expr.entries.map(({ key, value, optional }) => ({ key: this.plan(key), value: this.plan(value), optional }));
    return (run) => {
      const made = new Map<string, readonly [Value, Value]>();
      for (const entry of entries) {
        const key = entry.key(run);
        const value = entry.value(run);
        if (key instanceof Failure) return key;
        if (value instanceof Failure) return value;
        const id = mapKey(key);
        if (id === undefined) return fail(`unsupported key type: ${String(key)}`);
        if (made.has(id)) return fail(`Failed with repeated key: ${String(key)}`);
        const given = entry.optional ? (value as Optional).value : value;
        if (given !== undefined) made.set(id, [key, given]);
      }
      spend(run, MAP_COST);
      return new PlainMap(made);
    };
  }

  #struct(expr: StructExpr): Step {
    const fields = expr.fields.map(({ name, value }) => ({ name, value: this.plan(value) }));
    return (run) => {
      const made = new Map<string, Value>();
      for (const { name, value } of fields) {
        const found = value(run);
        if (found instanceof Failure) return found;
        made.set(name, found);
      }
      spend(run, STRUCT_COST);
      return new StructValue(expr.type, made);
    };
  }

  #comprehension(expr: Comprehension): Step {
    const range = this.plan(expr.range);
    const init = expr.init.is === "list" && expr.init.items.length === 0 ? () => new GrowingList() : this.plan(expr.init);
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
      if (!(over instanceof ListValue || over instanceof MapValue)) return fail(`got '${goTypeName(over)}', expected iterable type`);
      run.slots[accu] = init(run);
      for (const [key, value] of entriesOf(over, second !== undefined)) {
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

function checkPattern(arg: Expr | undefined): void {
  if (arg?.is !== "literal" || typeof arg.value !== "string") return;
  try {
    re2(arg.value);
  } catch (error) {
    throw error instanceof SyntaxError ? new PlanError(error.message) : error;
  }
}

/** A chain of names, fields and indexes is looked up in one go. */
function isAttribute(expr: Expr): boolean {
  if (expr.is === "ident") return true;
  if (expr.is === "select") return !expr.test && isAttribute(expr.operand);
  return expr.is === "call" && expr.fn === "_[_]" && isAttribute(expr.args[0] as Ident);
}

/** Items, or keys; with two variables indexes and items, or keys and values. */
function* entriesOf(range: ListValue | MapValue, two: boolean): Generator<readonly [Value, Value]> {
  if (range instanceof ListValue) {
    let i = 0n;
    for (const item of range.values()) yield two ? [i++, item] : [item, item];
  } else {
    for (const key of range.keys()) yield [key, two ? range.find(key)! : key];
  }
}

function fieldOf(value: Value, field: string): Value {
  if (value instanceof MapValue) return value.find(field) ?? fail(`no such key: ${field}`);
  if (value instanceof Failure) return value;
  if (value instanceof Optional) return value.value === undefined ? Optional.none : asOptional(value.value, field);
  return fail(`no such key: ${field}`);
}

function asOptional(value: Value, field: string): Value {
  if (value instanceof Failure) return value;
  if (value instanceof Optional) return value.value === undefined ? Optional.none : asOptional(value.value, field);
  if (!(value instanceof MapValue)) return Optional.none;
  const found = value.find(field);
  return found === undefined ? Optional.none : found instanceof Failure ? found : new Optional(found);
}

function optionalField(operand: Step, field: string): Step {
  return (run) => {
    const value = operand(run);
    spend(run, 1);
    return asOptional(value, field);
  };
}

function hasField(value: Value, field: string): Value {
  if (value instanceof Failure) return value;
  if (value instanceof Optional) return value.value === undefined ? false : hasField(value.value, field);
  return value instanceof MapValue && value.find(field) !== undefined;
}

/** Either side may decide alone, also when the other one fails. */
function logical(left: Step, right: Step, decisive: boolean): Step {
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

function conditional(condition: Step, yes: Step, no: Step): Step {
  return (run) => {
    const value = condition(run);
    if (value === true) return yes(run);
    if (value === false) return no(run);
    return value instanceof Failure ? value : NO_OVERLOAD;
  };
}

function notStrictlyFalse(operand: Step): Step {
  return (run) => {
    const value = operand(run);
    spend(run, 1);
    return value !== false;
  };
}

function orElse(left: Step, right: Step, take: (value: Optional) => Value): Step {
  return (run) => {
    const value = left(run);
    if (!(value instanceof Optional)) return value;
    return value.value === undefined ? right(run) : take(value);
  };
}
