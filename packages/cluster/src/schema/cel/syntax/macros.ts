import { ACCUMULATOR, type Call, type Comprehension, call, copy, type Expr, ident, list, literal, memberCall } from "./ast.ts";
import { CelSyntaxError } from "./issue.ts";

type Macro = (at: number, target: Expr, args: readonly Expr[]) => Expr;

/** Expands a call if its name and number of arguments are those of a macro; returns undefined otherwise. */
export function expandMacro(at: number, name: string, target: Expr | undefined, args: readonly Expr[]): Expr | undefined {
  if (target === undefined) return name === "has" && args.length === 1 ? expandHas(at, args[0]!) : undefined;
  return macros[`${name}/${args.length}`]?.(at, target, args);
}

function expandHas(at: number, arg: Expr): Expr {
  if (arg.is !== "select") throw new CelSyntaxError(arg.at, "invalid argument to has() macro");
  return { ...arg, at, test: true };
}

type FoldParts = Pick<Comprehension, "init" | "condition" | "step" | "result">;

function createFold(at: number, range: Expr, vars: readonly string[], parts: FoldParts): Comprehension {
  return { is: "comprehension", at, range, iterVar: vars[0]!, iterVar2: vars[1], accuVar: ACCUMULATOR, ...parts };
}

const createAccumulator = (at: number) => ident(at, ACCUMULATOR);

type Quantifier = (at: number, predicate: Expr) => FoldParts;

const existsOne: Quantifier = (at, predicate) => ({
  init: literal(at, 0n),
  condition: literal(at, true),
  step: call(at, "_?_:_", predicate, call(at, "_+_", createAccumulator(at), literal(at, 1n)), createAccumulator(at)),
  result: call(at, "_==_", createAccumulator(at), literal(at, 1n)),
});

const quantifiers: Readonly<Record<string, Quantifier>> = {
  all: (at, predicate) => ({
    init: literal(at, true),
    condition: call(at, "@not_strictly_false", createAccumulator(at)),
    step: call(at, "_&&_", createAccumulator(at), predicate),
    result: createAccumulator(at),
  }),
  exists: (at, predicate) => ({
    init: literal(at, false),
    condition: call(at, "@not_strictly_false", call(at, "!_", createAccumulator(at))),
    step: call(at, "_||_", createAccumulator(at), predicate),
    result: createAccumulator(at),
  }),
  exists_one: existsOne,
  existsOne,
};

function createQuantifierMacro(name: string, vars: number): Macro {
  return (at, target, args) =>
    createFold(at, target, getVariableNames(args.slice(0, vars), "argument must be a simple name"), quantifiers[name]!(at, args[vars]!));
}

/** Creates a macro that collects into a list or map; `step` builds the expression that updates the accumulator. */
function createCollectorMacro(
  vars: number,
  init: (at: number) => Expr,
  step: (at: number, names: readonly string[], transform: Expr) => Expr,
): Macro {
  return (at, target, args) => {
    const names = getVariableNames(args.slice(0, vars));
    const filter = args.length === vars + 2 ? args[vars] : undefined;
    const collect = step(at, names, args.at(-1)!);
    return createFold(at, target, names, {
      init: init(at),
      condition: literal(at, true),
      step: filter === undefined ? collect : call(at, "_?_:_", filter, collect, createAccumulator(at)),
      result: createAccumulator(at),
    });
  };
}

const emptyMap = (at: number): Expr => ({ is: "map", at, entries: [] });
const createAppend = (at: number, _: readonly string[], transform: Expr): Call =>
  call(at, "_+_", createAccumulator(at), list(at, transform));
const mapList = createCollectorMacro(1, list, createAppend);
const transformList = createCollectorMacro(2, list, createAppend);
const transformMap = createCollectorMacro(2, emptyMap, (at, [key], transform) =>
  call(at, "cel.@mapInsert", createAccumulator(at), ident(at, key!), transform),
);
const transformMapEntry = createCollectorMacro(2, emptyMap, (at, _, transform) =>
  call(at, "cel.@mapInsert", createAccumulator(at), transform),
);

const filterList: Macro = (at, target, args) => {
  const names = getVariableNames(args.slice(0, 1));
  const step = call(at, "_?_:_", args[1]!, call(at, "_+_", createAccumulator(at), list(at, args[0]!)), createAccumulator(at));
  return createFold(at, target, names, { init: list(at), condition: literal(at, true), step, result: createAccumulator(at) });
};

/** Binds a name to a value: a fold over an empty range with the name as its accumulator. */
function createBind(at: number, name: string, value: Expr, result: Expr): Comprehension {
  const parts = { init: value, condition: literal(at, false), step: ident(at, name), result };
  return { is: "comprehension", at, range: list(at), iterVar: "#unused", iterVar2: undefined, accuVar: name, ...parts };
}

function createOptionalMacro(name: string, wrap: (at: number, value: Expr) => Expr): Macro {
  return (at, target, [variable, transform]) => {
    if (variable?.is !== "ident") throw new CelSyntaxError(variable!.at, `${name}() variable name must be a simple identifier`);
    const bound = createBind(at, variable.name, memberCall(at, copy(target), "value"), transform!);
    return call(at, "_?_:_", memberCall(at, target, "hasValue"), wrap(at, bound), call(at, "optional.none"));
  };
}

const sortBy: Macro = (at, target, args) => {
  const input = "@__sortBy_input__";
  const keys = mapList(at, ident(at, input), args);
  return createBind(at, input, target, memberCall(at, ident(at, input), "@sortByAssociatedKeys", keys));
};

const macros: Readonly<Record<string, Macro>> = {
  "all/2": createQuantifierMacro("all", 1),
  "exists/2": createQuantifierMacro("exists", 1),
  "exists_one/2": createQuantifierMacro("exists_one", 1),
  "all/3": createQuantifierMacro("all", 2),
  "exists/3": createQuantifierMacro("exists", 2),
  "exists_one/3": createQuantifierMacro("exists_one", 2),
  "existsOne/3": createQuantifierMacro("existsOne", 2),
  "map/2": mapList,
  "map/3": mapList,
  "filter/2": filterList,
  "transformList/3": transformList,
  "transformList/4": transformList,
  "transformMap/3": transformMap,
  "transformMap/4": transformMap,
  "transformMapEntry/3": transformMapEntry,
  "transformMapEntry/4": transformMapEntry,
  "optMap/2": createOptionalMacro("optMap", (at, value) => call(at, "optional.of", value)),
  "optFlatMap/2": createOptionalMacro("optFlatMap", (_, value) => value),
  "sortBy/2": sortBy,
};

function getVariableNames(args: readonly Expr[], otherwise = "argument is not an identifier"): string[] {
  const names = args.map((arg) => {
    if (arg.is !== "ident") throw new CelSyntaxError(arg.at, otherwise);
    if (arg.name === "__result__") throw new CelSyntaxError(arg.at, "iteration variable overwrites accumulator variable");
    return arg.name;
  });
  if (names.length === 2 && names[0] === names[1]) throw new CelSyntaxError(args[1]!.at, `duplicate variable name: ${names[0]}`);
  return names;
}
