import type { Checked } from "../check/checker.ts";
import type { Type } from "../check/types.ts";
import { ACCUMULATOR, type Call, type Comprehension, type Expr } from "../syntax/ast.ts";
import { LIST_COST, MAP_COST, sizeOf } from "./actual.ts";
import { type CallEstimate, type CostNode, estimateCall } from "./estimate-call.ts";
import { add, fixed, MAX, multiply, NONE, ONE, type Range, UNKNOWN, union } from "./range.ts";

/** How big what a path leads to can be: `["self", "spec", "list", "@items"]`; undefined when that is not known. */
export type SizeOfPath = (path: readonly string[]) => Range | undefined;

/**
 * What an expression may cost before it is ever run, from what the schema says about sizes. The rules are cel-go's,
 * because this decides which rules a CRD may have.
 */
export function estimateCost(checked: Checked, sizeOfPath: SizeOfPath): Range {
  return new Estimator(checked, sizeOfPath).cost(checked.expr);
}

/** Sizes of what a container holds. */
interface Entries {
  readonly kind: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: Entries | undefined;
}

class Estimator {
  readonly #checked: Checked;
  readonly #sizeOfPath: SizeOfPath;
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, Entries>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, sizeOfPath: SizeOfPath) {
    this.#checked = checked;
    this.#sizeOfPath = sizeOfPath;
  }

  cost(expr: Expr): Range {
    switch (expr.is) {
      case "literal":
        return NONE;
      case "ident":
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name]);
        return ONE;
      case "select": {
        const operand = this.cost(expr.operand);
        if (expr.test) return operand;
        this.#paths.set(expr, [...this.#path(expr.operand), expr.field]);
        const kind = this.#type(expr.operand).kind;
        return kind === "map" || kind === "struct" || kind === "param" ? add(operand, ONE) : operand;
      }
      case "call":
        return this.#call(expr);
      case "list":
        return this.#container(
          expr,
          "list",
          expr.items.map((value) => ({ key: undefined, value })),
          LIST_COST,
        );
      case "map":
        return this.#container(expr, "map", expr.entries, MAP_COST);
      case "struct":
        return NONE;
      case "comprehension":
        return isBind(expr) ? this.#bind(expr) : this.#fold(expr);
    }
  }

  #type(expr: Expr): Type {
    return this.#checked.types.get(expr)!;
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
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

  size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr);
    if (known !== undefined) return known;
    const path = this.#path(expr);
    const estimated = path.length === 0 ? undefined : this.#sizeOfPath(path);
    if (estimated !== undefined) {
      this.#sizes.set(expr, estimated);
      return estimated;
    }
    if (isScalar(this.#type(expr))) return ONE;
    return expr.is === "ident" ? this.#local(expr.name)?.size : undefined;
  }

  #entriesOf(expr: Expr): Entries | undefined {
    return this.#entries.get(expr) ?? (expr.is === "ident" ? this.#local(expr.name)?.entries : undefined);
  }

  #container(
    expr: Expr,
    kind: "list" | "map",
    items: readonly { readonly key: Expr | undefined; readonly value: Expr }[],
    base: number,
  ): Range {
    const costs: Range[] = [fixed(base)];
    const empty = items.length === 0 ? NONE : { min: MAX, max: 0 };
    let keys = empty;
    let values = empty;
    for (const { key, value } of items) {
      if (key !== undefined) costs.push(this.cost(key));
      costs.push(this.cost(value));
      if (key !== undefined) keys = union(keys, this.size(key) ?? UNKNOWN);
      values = union(values, this.size(value) ?? UNKNOWN);
    }
    this.#entries.set(expr, { kind, key: kind === "list" ? ONE : keys, value: values });
    return add(...costs);
  }

  #call(expr: Call): Range {
    if (expr.fn === "dyn") {
      const cost = this.cost(expr.args[0]!);
      this.#copySizes(expr, expr.args[0]!);
      return add(ONE, cost);
    }
    const argCosts = expr.args.map((arg) => this.cost(arg));
    const args = expr.args.map((arg) => this.#node(arg));
    const inNamespace = this.#checked.names.has(expr);
    const targetCost = expr.target === undefined || inNamespace ? NONE : this.cost(expr.target);
    const target = expr.target === undefined || inNamespace ? undefined : this.#node(expr.target);
    if (expr.fn === "_?._") return add(targetCost, ...argCosts, ONE);
    const overloads = this.#checked.overloads.get(expr) ?? [];
    if (overloads.length === 0) return NONE;
    let cost: Range = { min: MAX, max: 0 };
    let result: Range | undefined;
    for (const { id } of overloads) {
      const estimate = this.#overload(expr, id, target, args, argCosts);
      cost = union(cost, estimate.cost);
      if (estimate.size !== undefined) result = result === undefined ? estimate.size : union(result, estimate.size);
      if (id === "index_list" || id === "index_map") {
        result = this.#entriesOf(expr.args[0]!)?.value;
        this.#paths.set(expr, [...this.#path(expr.args[0]!), id === "index_list" ? "@items" : "@values"]);
      }
      result ??= this.size(expr);
    }
    if (result !== undefined) this.#sizes.set(expr, result);
    return add(targetCost, cost);
  }

  #overload(expr: Call, id: string, target: CostNode | undefined, args: readonly CostNode[], costs: readonly Range[]): CallEstimate {
    if (id === "logical_and" || id === "logical_or") {
      return { cost: { min: costs[0]!.min, max: add(costs[0]!, costs[1]!).max } };
    }
    if (id === "conditional") {
      const [, yes, no] = expr.args;
      this.#joinEntries(expr, yes!, no!);
      const size = union(this.size(yes!) ?? UNKNOWN, this.size(no!) ?? UNKNOWN);
      return { cost: add(costs[0]!, union(costs[1]!, costs[2]!)), size };
    }
    if (id === "add_list" || id === "add_string" || id === "add_bytes") this.#joinEntries(expr, expr.args[0]!, expr.args[1]!);
    const fn = this.#checked.names.get(expr) ?? expr.fn;
    const { cost, size } = estimateCall(fn, id, target, args, (path) => this.#sizeOfPath(path));
    return { cost: add(cost, ...costs), size };
  }

  #joinEntries(expr: Expr, a: Expr, b: Expr): void {
    const [x, y] = [this.#entriesOf(a), this.#entriesOf(b)];
    if (x !== undefined && y !== undefined) {
      this.#entries.set(expr, { kind: x.kind, key: union(x.key, y.key), value: union(x.value, y.value) });
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

  #fold(expr: Comprehension): Range {
    const range = this.cost(expr.range);
    const init = this.cost(expr.init);
    this.#push(expr.accuVar, { path: this.#path(expr.init), size: this.size(expr.init), entries: this.#entriesOf(expr.init) });
    this.#pushIterated(expr);
    const each = add(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(expr.iterVar);
    if (expr.iterVar2 !== undefined) this.#pop(expr.iterVar2);
    const result = this.cost(expr.result);
    this.#pop(expr.accuVar);
    const count = this.size(expr.range) ?? UNKNOWN;
    this.#sizeOfFold(expr, count);
    return add(range, init, result, multiply(count, each));
  }

  #sizeOfFold(expr: Comprehension, count: Range): void {
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

  #bind(expr: Comprehension): Range {
    const costs = [this.cost(expr.range), this.cost(expr.init)];
    this.#push(expr.accuVar, { path: this.#path(expr.init), size: this.size(expr.init), entries: this.#entriesOf(expr.init) });
    costs.push(this.cost(expr.result));
    this.#pop(expr.accuVar);
    this.#copySizes(expr, expr.result);
    return add(...costs);
  }
}

function isBind({ range, condition, accuVar }: Comprehension): boolean {
  return (
    range.is === "list" && range.items.length === 0 && condition.is === "literal" && condition.value === false && accuVar !== ACCUMULATOR
  );
}

function literalSize(expr: Expr): Range | undefined {
  if (expr.is === "literal") return fixed(sizeOf(expr.value));
  if (expr.is === "list") return fixed(expr.items.length);
  return expr.is === "map" ? fixed(expr.entries.length) : undefined;
}

const scalars = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

function isScalar(type: Type): boolean {
  return scalars.has(type.name) || (type.name === "optional_type" && isScalar(type.params[0]!));
}
