import type { CheckedExpression } from "../check/checker.ts";
import type { Type } from "../check/types.ts";
import { ACCUMULATOR, type Call, type Comprehension, type Expr } from "../syntax/ast.ts";
import { getSize, LIST_CREATE_COST, MAP_CREATE_COST } from "./actual.ts";
import { type CallEstimate, type CostNode, estimateCall } from "./estimate-call.ts";
import {
  addRanges,
  type EstimateRange,
  fixedRange,
  MAX_ESTIMATE,
  multiplyRanges,
  UNIT_RANGE,
  UNKNOWN_RANGE,
  unionRanges,
  ZERO_RANGE,
} from "./estimate-range.ts";

/** Returns the size range of the value at a path such as `["self", "spec", "list", "@items"]`; undefined if it is unknown. */
export type SizeEstimator = (path: readonly string[]) => EstimateRange | undefined;

/**
 * Estimates the cost of an expression before it is run, from the size limits of the schema. It follows cel-go exactly,
 * because the estimate decides whether the API server accepts the rules of a CRD.
 */
export function estimateCost(checked: CheckedExpression, sizeOfPath: SizeEstimator): EstimateRange {
  return new Estimator(checked, sizeOfPath).cost(checked.expr);
}

/** Sizes of the keys and values of a list or map. */
interface ContainerEntries {
  readonly kind: "list" | "map";
  readonly key: EstimateRange;
  readonly value: EstimateRange;
}

interface LocalVariable {
  readonly path: readonly string[];
  readonly size: EstimateRange | undefined;
  readonly entries: ContainerEntries | undefined;
}

class Estimator {
  readonly #checked: CheckedExpression;
  readonly #sizeOfPath: SizeEstimator;
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, EstimateRange>();
  readonly #entries = new Map<Expr, ContainerEntries>();
  readonly #locals = new Map<string, LocalVariable[]>();

  constructor(checked: CheckedExpression, sizeOfPath: SizeEstimator) {
    this.#checked = checked;
    this.#sizeOfPath = sizeOfPath;
  }

  cost(expr: Expr): EstimateRange {
    switch (expr.is) {
      case "literal":
        return ZERO_RANGE;
      case "ident":
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name]);
        return UNIT_RANGE;
      case "select": {
        const operand = this.cost(expr.operand);
        if (expr.test) return operand;
        this.#paths.set(expr, [...this.#path(expr.operand), expr.field]);
        const kind = this.#type(expr.operand).kind;
        return kind === "map" || kind === "struct" || kind === "param" ? addRanges(operand, UNIT_RANGE) : operand;
      }
      case "call":
        return this.#call(expr);
      case "list":
        return this.#container(
          expr,
          "list",
          expr.items.map((value) => ({ key: undefined, value })),
          LIST_CREATE_COST,
        );
      case "map":
        return this.#container(expr, "map", expr.entries, MAP_CREATE_COST);
      case "struct":
        return ZERO_RANGE;
      case "comprehension":
        return isBindComprehension(expr) ? this.#bind(expr) : this.#fold(expr);
    }
  }

  #type(expr: Expr): Type {
    return this.#checked.types.get(expr)!;
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: LocalVariable): void {
    const stack = this.#locals.get(name) ?? [];
    stack.push(local);
    this.#locals.set(name, stack);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #path(expr: Expr): readonly string[] {
    const local = expr.is === "ident" ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? [];
  }

  size(expr: Expr): EstimateRange | undefined {
    const known = this.#sizes.get(expr) ?? getLiteralSize(expr);
    if (known !== undefined) return known;
    const path = this.#path(expr);
    const estimated = path.length === 0 ? undefined : this.#sizeOfPath(path);
    if (estimated !== undefined) {
      this.#sizes.set(expr, estimated);
      return estimated;
    }
    if (isScalar(this.#type(expr))) return UNIT_RANGE;
    return expr.is === "ident" ? this.#local(expr.name)?.size : undefined;
  }

  #entriesOf(expr: Expr): ContainerEntries | undefined {
    return this.#entries.get(expr) ?? (expr.is === "ident" ? this.#local(expr.name)?.entries : undefined);
  }

  #container(
    expr: Expr,
    kind: "list" | "map",
    items: readonly { readonly key: Expr | undefined; readonly value: Expr }[],
    base: number,
  ): EstimateRange {
    const costs: EstimateRange[] = [fixedRange(base)];
    const empty = items.length === 0 ? ZERO_RANGE : { min: MAX_ESTIMATE, max: 0 };
    let keys = empty;
    let values = empty;
    for (const { key, value } of items) {
      if (key !== undefined) costs.push(this.cost(key));
      costs.push(this.cost(value));
      if (key !== undefined) keys = unionRanges(keys, this.size(key) ?? UNKNOWN_RANGE);
      values = unionRanges(values, this.size(value) ?? UNKNOWN_RANGE);
    }
    this.#entries.set(expr, { kind, key: kind === "list" ? UNIT_RANGE : keys, value: values });
    return addRanges(...costs);
  }

  #call(expr: Call): EstimateRange {
    if (expr.fn === "dyn") {
      const cost = this.cost(expr.args[0]!);
      this.#copySizes(expr, expr.args[0]!);
      return addRanges(UNIT_RANGE, cost);
    }
    const argCosts = expr.args.map((arg) => this.cost(arg));
    const args = expr.args.map((arg) => this.#node(arg));
    const inNamespace = this.#checked.names.has(expr);
    const targetCost = expr.target === undefined || inNamespace ? ZERO_RANGE : this.cost(expr.target);
    const target = expr.target === undefined || inNamespace ? undefined : this.#node(expr.target);
    if (expr.fn === "_?._") return addRanges(targetCost, ...argCosts, UNIT_RANGE);
    const overloads = this.#checked.overloads.get(expr) ?? [];
    if (overloads.length === 0) return ZERO_RANGE;
    let cost: EstimateRange = { min: MAX_ESTIMATE, max: 0 };
    let result: EstimateRange | undefined;
    for (const { id } of overloads) {
      const estimate = this.#overload(expr, id, target, args, argCosts);
      cost = unionRanges(cost, estimate.cost);
      if (estimate.size !== undefined) result = result === undefined ? estimate.size : unionRanges(result, estimate.size);
      if (id === "index_list" || id === "index_map") {
        result = this.#entriesOf(expr.args[0]!)?.value;
        this.#paths.set(expr, [...this.#path(expr.args[0]!), id === "index_list" ? "@items" : "@values"]);
      }
      result ??= this.size(expr);
    }
    if (result !== undefined) this.#sizes.set(expr, result);
    return addRanges(targetCost, cost);
  }

  #overload(
    expr: Call,
    id: string,
    target: CostNode | undefined,
    args: readonly CostNode[],
    costs: readonly EstimateRange[],
  ): CallEstimate {
    if (id === "logical_and" || id === "logical_or") {
      return { cost: { min: costs[0]!.min, max: addRanges(costs[0]!, costs[1]!).max } };
    }
    if (id === "conditional") {
      const [, yes, no] = expr.args;
      this.#joinEntries(expr, yes!, no!);
      const size = unionRanges(this.size(yes!) ?? UNKNOWN_RANGE, this.size(no!) ?? UNKNOWN_RANGE);
      return { cost: addRanges(costs[0]!, unionRanges(costs[1]!, costs[2]!)), size };
    }
    if (id === "add_list" || id === "add_string" || id === "add_bytes") this.#joinEntries(expr, expr.args[0]!, expr.args[1]!);
    const fn = this.#checked.names.get(expr) ?? expr.fn;
    const { cost, size } = estimateCall(fn, id, target, args, (path) => this.#sizeOfPath(path));
    return { cost: addRanges(cost, ...costs), size };
  }

  #joinEntries(expr: Expr, a: Expr, b: Expr): void {
    const [x, y] = [this.#entriesOf(a), this.#entriesOf(b)];
    if (x !== undefined && y !== undefined) {
      this.#entries.set(expr, { kind: x.kind, key: unionRanges(x.key, y.key), value: unionRanges(x.value, y.value) });
    }
  }

  #copySizes(to: Expr, from: Expr): void {
    const [size, entries] = [this.size(from), this.#entriesOf(from)];
    if (size !== undefined) this.#sizes.set(to, size);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #node(expr: Expr): CostNode {
    const path = this.#path(expr);
    const hidden = path[0] === ACCUMULATOR || path[0] === "__result__";
    return { expr, path: hidden ? [] : path, type: this.#type(expr), size: this.size(expr) };
  }

  #fold(expr: Comprehension): EstimateRange {
    const range = this.cost(expr.range);
    const init = this.cost(expr.init);
    this.#push(expr.accuVar, { path: this.#path(expr.init), size: this.size(expr.init), entries: this.#entriesOf(expr.init) });
    this.#pushIterated(expr);
    const each = addRanges(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(expr.iterVar);
    if (expr.iterVar2 !== undefined) this.#pop(expr.iterVar2);
    const result = this.cost(expr.result);
    this.#pop(expr.accuVar);
    const count = this.size(expr.range) ?? UNKNOWN_RANGE;
    this.#sizeOfFold(expr, count);
    return addRanges(range, init, result, multiplyRanges(count, each));
  }

  #sizeOfFold(expr: Comprehension, count: EstimateRange): void {
    if (expr.init.is === "literal") {
      const size = this.size(expr.init);
      if (size !== undefined) this.#sizes.set(expr, size);
    } else if (expr.init.is === "list" || expr.init.is === "map") {
      this.#sizes.set(expr, count);
      const entries = this.#entriesOf(expr.step);
      if (entries !== undefined) this.#entries.set(expr, entries);
    }
  }

  #pushIterated({ range, iterVar, iterVar2 }: Comprehension): void {
    const entries = this.#entriesOf(range);
    const path = this.#path(range);
    const isList = (entries?.kind ?? this.#type(range).kind) === "list";
    const value = { path: [...path, isList ? "@items" : "@values"], size: entries?.value, entries: undefined };
    const key = { path: [...path, isList ? "@indices" : "@keys"], size: entries?.key, entries: undefined };
    if (iterVar2 === undefined) {
      this.#push(iterVar, isList ? value : key);
    } else {
      this.#push(iterVar, key);
      this.#push(iterVar2, value);
    }
  }

  #bind(expr: Comprehension): EstimateRange {
    const costs = [this.cost(expr.range), this.cost(expr.init)];
    this.#push(expr.accuVar, { path: this.#path(expr.init), size: this.size(expr.init), entries: this.#entriesOf(expr.init) });
    costs.push(this.cost(expr.result));
    this.#pop(expr.accuVar);
    this.#copySizes(expr, expr.result);
    return addRanges(...costs);
  }
}

function isBindComprehension({ range, condition, accuVar }: Comprehension): boolean {
  return (
    range.is === "list" && range.items.length === 0 && condition.is === "literal" && condition.value === false && accuVar !== ACCUMULATOR
  );
}

function getLiteralSize(expr: Expr): EstimateRange | undefined {
  if (expr.is === "literal") return fixedRange(getSize(expr.value));
  if (expr.is === "list") return fixedRange(expr.items.length);
  return expr.is === "map" ? fixedRange(expr.entries.length) : undefined;
}

const scalarTypes = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

function isScalar(type: Type): boolean {
  return scalarTypes.has(type.name) || (type.name === "optional_type" && isScalar(type.params[0]!));
}
