import { ACCUMULATOR, type Call, type Comprehension, call, copy, type Expr, ident, list, literal, memberCall } from "./ast.ts";
import { SyntaxIssue } from "./issue.ts";

type Macro = (at: number, target: Expr, args: readonly Expr[]) => Expr;

/** What a call means if it is a macro; by name and number of arguments. */
export function expandMacro(at: number, name: string, target: Expr | undefined, args: readonly Expr[]): Expr | undefined {
  if (target === undefined) return name === "has" && args.length === 1 ? has(at, args[0]!) : undefined;
  return macros[`${name}/${args.length}`]?.(at, target, args);
}

function has(at: number, arg: Expr): Expr {
  if (arg.is !== "select") throw new SyntaxIssue(arg.at, "invalid argument to has() macro");
  return { ...arg, at, test: true };
}

type Fold = Pick<Comprehension, "init" | "condition" | "step" | "result">;

function fold(at: number, range: Expr, vars: readonly string[], parts: Fold): Comprehension {
  return { is: "comprehension", at, range, iterVar: vars[0]!, iterVar2: vars[1], accuVar: ACCUMULATOR, ...parts };
}

const accu = (at: number) => ident(at, ACCUMULATOR);

type Quantifier = (at: number, predicate: Expr) => Fold;

const existsOne: Quantifier = (at, predicate) => ({
  init: literal(at, 0n),
  condition: literal(at, true),
  step: call(at, "_?_:_", predicate, call(at, "_+_", accu(at), literal(at, 1n)), accu(at)),
  result: call(at, "_==_", accu(at), literal(at, 1n)),
});

const quantifiers: Readonly<Record<string, Quantifier>> = {
  all: (at, predicate) => ({
    init: literal(at, true),
    condition: call(at, "@not_strictly_false", accu(at)),
    step: call(at, "_&&_", accu(at), predicate),
    result: accu(at),
  }),
  exists: (at, predicate) => ({
    init: literal(at, false),
    condition: call(at, "@not_strictly_false", call(at, "!_", accu(at))),
    step: call(at, "_||_", accu(at), predicate),
    result: accu(at),
  }),
  exists_one: existsOne,
  existsOne,
};

function quantifier(name: string, vars: number): Macro {
  return (at, target, args) =>
    fold(at, target, variables(args.slice(0, vars), "argument must be a simple name"), quantifiers[name]!(at, args[vars]!));
}

/** Collects into a list or a map, `step` being what is done with the accumulator. */
function collector(vars: number, init: (at: number) => Expr, step: (at: number, names: readonly string[], transform: Expr) => Expr): Macro {
  return (at, target, args) => {
    const names = variables(args.slice(0, vars));
    const filter = args.length === vars + 2 ? args[vars] : undefined;
    const collect = step(at, names, args.at(-1)!);
    return fold(at, target, names, {
      init: init(at),
      condition: literal(at, true),
      step: filter === undefined ? collect : call(at, "_?_:_", filter, collect, accu(at)),
      result: accu(at),
    });
  };
}

const emptyMap = (at: number): Expr => ({ is: "map", at, entries: [] });
const append = (at: number, _: readonly string[], transform: Expr): Call => call(at, "_+_", accu(at), list(at, transform));
const mapList = collector(1, list, append);
const transformList = collector(2, list, append);
const transformMap = collector(2, emptyMap, (at, [key], transform) => call(at, "cel.@mapInsert", accu(at), ident(at, key!), transform));
const transformMapEntry = collector(2, emptyMap, (at, _, transform) => call(at, "cel.@mapInsert", accu(at), transform));

const filterList: Macro = (at, target, args) => {
  const names = variables(args.slice(0, 1));
  const step = call(at, "_?_:_", args[1]!, call(at, "_+_", accu(at), list(at, args[0]!)), accu(at));
  return fold(at, target, names, { init: list(at), condition: literal(at, true), step, result: accu(at) });
};

/** A name for a value: a fold over nothing whose accumulator is the name. */
function bind(at: number, name: string, value: Expr, result: Expr): Comprehension {
  const parts = { init: value, condition: literal(at, false), step: ident(at, name), result };
  return { is: "comprehension", at, range: list(at), iterVar: "#unused", iterVar2: undefined, accuVar: name, ...parts };
}

function optional(name: string, wrap: (at: number, value: Expr) => Expr): Macro {
  return (at, target, [variable, transform]) => {
    if (variable?.is !== "ident") throw new SyntaxIssue(variable!.at, `${name}() variable name must be a simple identifier`);
    const bound = bind(at, variable.name, memberCall(at, copy(target), "value"), transform!);
    return call(at, "_?_:_", memberCall(at, target, "hasValue"), wrap(at, bound), call(at, "optional.none"));
  };
}

const sortBy: Macro = (at, target, args) => {
  const input = "@__sortBy_input__";
  const keys = mapList(at, ident(at, input), args);
  return bind(at, input, target, memberCall(at, ident(at, input), "@sortByAssociatedKeys", keys));
};

const macros: Readonly<Record<string, Macro>> = {
  "all/2": quantifier("all", 1),
  "exists/2": quantifier("exists", 1),
  "exists_one/2": quantifier("exists_one", 1),
  "all/3": quantifier("all", 2),
  "exists/3": quantifier("exists", 2),
  "exists_one/3": quantifier("exists_one", 2),
  "existsOne/3": quantifier("existsOne", 2),
  "map/2": mapList,
  "map/3": mapList,
  "filter/2": filterList,
  "transformList/3": transformList,
  "transformList/4": transformList,
  "transformMap/3": transformMap,
  "transformMap/4": transformMap,
  "transformMapEntry/3": transformMapEntry,
  "transformMapEntry/4": transformMapEntry,
  "optMap/2": optional("optMap", (at, value) => call(at, "optional.of", value)),
  "optFlatMap/2": optional("optFlatMap", (_, value) => value),
  "sortBy/2": sortBy,
};

function variables(args: readonly Expr[], otherwise = "argument is not an identifier"): string[] {
  const names = args.map((arg) => {
    if (arg.is !== "ident") throw new SyntaxIssue(arg.at, otherwise);
    if (arg.name === "__result__") throw new SyntaxIssue(arg.at, "iteration variable overwrites accumulator variable");
    return arg.name;
  });
  if (names.length === 2 && names[0] === names[1]) throw new SyntaxIssue(args[1]!.at, `duplicate variable name: ${names[0]}`);
  return names;
}
