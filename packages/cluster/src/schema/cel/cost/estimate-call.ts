import { sameType, type Type } from "../check/types.ts";
import type { Expr } from "../syntax/ast.ts";
import { LIST_COST, PATTERN_FACTOR, TEXT_FACTOR } from "./actual.ts";
import type { SizeOfPath } from "./estimate.ts";
import { add, fixed, MAX, multiply, ONE, type Range, scale, UNKNOWN } from "./range.ts";

export interface CallEstimate {
  readonly cost: Range;
  /** Of the result. */
  readonly size?: Range | undefined;
}

/** An operand, as far as costs are concerned. */
export interface CostNode {
  readonly expr: Expr | undefined;
  readonly path: readonly string[];
  readonly type: Type;
  readonly size: Range | undefined;
}

interface Operands {
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  readonly sizeOf: (node: CostNode) => Range;
}

type Estimate = (operands: Operands, overload: string) => CallEstimate | undefined;

/** What a call may cost, without what its operands cost. */
export function estimateCall(
  fn: string,
  overload: string,
  target: CostNode | undefined,
  args: readonly CostNode[],
  sizeOfPath: SizeOfPath,
): CallEstimate {
  const sizeOf = (node: CostNode) => node.size ?? (node.path.length === 0 ? undefined : sizeOfPath(node.path)) ?? UNKNOWN;
  const operands = { target, args, sizeOf };
  return (
    byOverload[overload]?.(operands, overload) ??
    byFunction[fn]?.(operands, overload) ??
    standard[overload]?.(operands, overload) ?? { cost: ONE }
  );
}

const named = (estimate: Estimate, ...names: string[]): Record<string, Estimate> =>
  Object.fromEntries(names.map((name) => [name, estimate]));
const text = (size: Range, times = 1) => scale(size, times * TEXT_FACTOR);
const pattern = (string: Range, source: Range) => multiply(scale(add(string, ONE), TEXT_FACTOR), scale(source, PATTERN_FACTOR));

const ofArgument =
  (times = 1, keeps = false): Estimate =>
  ({ args, sizeOf }) => {
    if (args.length === 0) return undefined;
    const size = sizeOf(args[0]!);
    return { cost: text(size, times), size: keeps ? size : undefined };
  };
const ofTarget: Estimate = ({ target, sizeOf }) => {
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  return { cost: text(size), size };
};
const one: Estimate = () => ({ cost: ONE });
const address = { min: 4, max: 16 };

/** Estimates for the libraries of Kubernetes, by function. */
const byFunction: Readonly<Record<string, Estimate>> = {
  ...named(listTraversal, "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"),
  url: ofArgument(1, true),
  ...named(ofTarget, "lowerAscii", "upperAscii", "substring", "trim"),
  replace,
  split,
  join,
  ...named(find, "find", "findAll"),
  ...named(ofArgument(), "cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"),
  ip: (operands, overload) => (overload === "cidr_ip" ? { cost: ONE } : ofArgument()(operands, overload)),
  "ip.isCanonical": ofArgument(2),
  containsIP: ({ args, sizeOf }, overload) => ({
    cost: add(text(add(address, address)), overload === "cidr_contains_ip_string" ? text(sizeOf(args[0]!)) : fixed(0)),
  }),
  containsCIDR: ({ args, sizeOf }, overload) => ({
    cost: add(
      text(add(address, address)),
      text(address),
      ONE,
      overload === "cidr_contains_cidr_string" ? text(sizeOf(args[0]!)) : fixed(0),
    ),
  }),
  validate: ({ args, sizeOf }) => ({ cost: scale(text(sizeOf(args[0]!)), 128 * PATTERN_FACTOR) }),
  "_==_": opaqueEquality,
  ...named(
    one,
    "masked",
    "prefixLength",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
  ),
  ...named(
    one,
    "format.named",
    "sign",
    "asInteger",
    "isInteger",
    "asApproximateFloat",
    "isGreaterThan",
    "isLessThan",
    "compareTo",
    "add",
    "sub",
  ),
  ...named(one, "major", "minor", "patch", "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"),
};

function itemOf(list: CostNode): CostNode | undefined {
  const type = list.type.params[0];
  if (type === undefined) return undefined;
  return { expr: undefined, type, path: list.path.length === 0 ? [] : [...list.path, "@items"], size: undefined };
}

function listTraversal({ target, sizeOf }: Operands): CallEstimate | undefined {
  if (target === undefined) return undefined;
  const item = itemOf(target);
  if (item === undefined) return { cost: text(sizeOf(target)) };
  const isText = item.type.name === "string" || item.type.name === "bytes";
  return { cost: multiply(sizeOf(target), isText ? add(ONE, text(sizeOf(item))) : ONE) };
}

function replace({ target, args, sizeOf }: Operands): CallEstimate | undefined {
  if (target === undefined || args.length < 2) return undefined;
  const size = sizeOf(target);
  const old = sizeOf(args[0]!);
  const by = sizeOf(args[1]!);
  const longest =
    old.min === 0
      ? { count: Math.min(size.max + 1, MAX), kept: size.max }
      : by.max <= old.min
        ? { count: 0, kept: size.max }
        : { count: Math.ceil(size.max / old.min), kept: 0 };
  const shortest =
    old.max === 0
      ? { count: Math.min(size.min + 1, MAX), kept: size.min }
      : old.max <= by.min
        ? { count: 0, kept: size.min }
        : { count: Math.ceil(size.min / old.max), kept: 0 };
  const result = add(multiply({ min: shortest.count, max: longest.count }, by), { min: shortest.kept, max: longest.kept });
  return { cost: text(size, 2), size: result };
}

function split({ target, args, sizeOf }: Operands): CallEstimate | undefined {
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  const limit = args[1]?.expr;
  const max = limit?.is === "literal" && typeof limit.value === "bigint" ? Number(BigInt.asUintN(64, limit.value)) : size.max;
  return { cost: text(size, 2), size: { min: 0, max } };
}

function join({ target, args, sizeOf }: Operands): CallEstimate | undefined {
  if (target === undefined) return undefined;
  const count = sizeOf(target);
  const item = itemOf(target);
  let size: Range = item === undefined ? fixed(0) : multiply(count, sizeOf(item));
  if (args.length > 0) size = add(size, multiply(sizeOf(args[0]!), { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }));
  return { cost: text(size), size };
}

function find({ target, args, sizeOf }: Operands): CallEstimate | undefined {
  if (target === undefined || args.length === 0) return undefined;
  const size = sizeOf(target);
  return { cost: pattern(size, sizeOf(args[0]!)), size: { min: 0, max: size.max } };
}

function opaqueEquality({ args: [left, right] }: Operands): CallEstimate | undefined {
  if (left === undefined || right === undefined || left.type.kind !== "opaque" || !sameType(left.type, right.type)) return undefined;
  switch (left.type.name) {
    case "net.IP":
    case "net.CIDR":
    case "kubernetes.Quantity":
    case "kubernetes.Semver":
      return { cost: ONE };
    case "kubernetes.NamedFormat":
      return { cost: text({ min: 1, max: 64 }) };
    case "kubernetes.URL":
      return { cost: text({ min: 1, max: right.size?.max ?? 1 }) };
    default:
      return undefined;
  }
}

const listCall = (size: Range, factor: number): CallEstimate => ({ cost: add(scale(size, factor), ONE, fixed(LIST_COST)), size });
const literalOr = (node: CostNode, otherwise: number) =>
  node.expr?.is === "literal" && typeof node.expr.value === "bigint" ? Math.max(0, Number(node.expr.value)) : otherwise;
const squared = (size: Range, isText: boolean) => listCall(multiply(size, size), isText ? 2 + TEXT_FACTOR : 2);

const setCall =
  (factor: number): Estimate =>
  ({ args, sizeOf }) => ({ cost: add(scale(multiply(sizeOf(args[0]!), sizeOf(args[1]!)), factor), ONE) });

/** Estimates that libraries of cel-go give for their overloads. */
const byOverload: Readonly<Record<string, Estimate>> = {
  list_slice: ({ target, args, sizeOf }) => listCall(fixed(literalOr(args[1]!, sizeOf(target!).max) - literalOr(args[0]!, 0)), 1),
  list_flatten: ({ target, sizeOf }) => listCall(sizeOf(target!), 1),
  list_flatten_int: ({ target, args, sizeOf }) => listCall(sizeOf(target!), literalOr(args[0]!, MAX)),
  lists_range: ({ args }) => listCall(fixed(literalOr(args[0]!, MAX)), 1),
  list_reverse: ({ target, sizeOf }) => listCall(sizeOf(target!), 1),
  list_distinct: ({ target, sizeOf }) => squared(sizeOf(target!), false),
  ...Object.fromEntries(
    ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"].flatMap((type): [string, Estimate][] => {
      const isText = type === "string" || type === "bytes";
      return [
        [`list_${type}_sort`, ({ target, sizeOf }) => squared(sizeOf(target!), isText)],
        [`list_${type}_sortByAssociatedKeys`, ({ args, sizeOf }) => squared(sizeOf(args[0]!), isText)],
      ];
    }),
  ),
  list_sets_contains_list: setCall(1),
  list_sets_intersects_list: setCall(1),
  list_sets_equivalent_list: setCall(2),
};

const size = (node: CostNode | undefined): Range => node?.size ?? UNKNOWN;

const comparison: Estimate = ({ args }) => {
  const max = Math.min(size(args[0]).max, size(args[1]).max);
  return { cost: text({ min: max > 0 ? 1 : 0, max }) };
};
const addition: Estimate = ({ args }, overload) => {
  const result = add(size(args[0]), size(args[1]));
  return { cost: overload === "add_list" ? ONE : text(result), size: result };
};

/** The standard library. */
const standard: Readonly<Record<string, Estimate>> = {
  string_format: ({ target }) => ({ cost: text(size(target)) }),
  string_to_bytes: ({ args }) => ({ cost: text(size(args[0])), size: { min: size(args[0]).min, max: size(args[0]).max * 4 } }),
  bytes_to_string: ({ args }) => ({ cost: text(size(args[0])), size: { min: Math.floor(size(args[0]).min / 4), max: size(args[0]).max } }),
  strings_quote: ({ args }) => ({ cost: text(size(args[0])), size: { min: size(args[0]).min + 2, max: size(args[0]).max * 2 + 2 } }),
  ...named(({ args }) => ({ cost: text(size(args[0])) }), "starts_with_string", "ends_with_string"),
  in_list: ({ args }) => ({ cost: size(args[1]) }),
  matches_string: ({ target, args }) => (target === undefined ? undefined : { cost: pattern(size(target), size(args[0])) }),
  contains_string: ({ target, args }) => ({ cost: multiply(text(size(target)), text(size(args[0]))) }),
  ...named(addition, "add_string", "add_bytes", "add_list"),
  ...named(comparison, "equals", "not_equals"),
  ...named(comparison, "less_string", "less_equals_string", "greater_string", "greater_equals_string"),
  ...named(comparison, "less_bytes", "less_equals_bytes", "greater_bytes", "greater_equals_bytes"),
};
