import { sameType, type Type } from "../check/types.ts";
import type { Expr } from "../syntax/ast.ts";
import { LIST_CREATE_COST, REGEX_LENGTH_COST_FACTOR, STRING_TRAVERSAL_COST_FACTOR } from "./actual.ts";
import type { SizeEstimator } from "./estimate.ts";
import {
  addRanges,
  type EstimateRange,
  fixedRange,
  MAX_ESTIMATE,
  multiplyRanges,
  scaleRange,
  UNIT_RANGE,
  UNKNOWN_RANGE,
} from "./estimate-range.ts";

export interface CallEstimate {
  readonly cost: EstimateRange;
  /** Estimated size of the result. */
  readonly size?: EstimateRange | undefined;
}

/** The properties of an operand that cost estimation uses. */
export interface CostNode {
  readonly expr: Expr | undefined;
  readonly path: readonly string[];
  readonly type: Type;
  readonly size: EstimateRange | undefined;
}

interface CallOperands {
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  readonly sizeOf: (node: CostNode) => EstimateRange;
}

type CallEstimator = (operands: CallOperands, overload: string) => CallEstimate | undefined;

/** Estimates the cost of a call without the cost of its operands. */
export function estimateCall(
  fn: string,
  overload: string,
  target: CostNode | undefined,
  args: readonly CostNode[],
  sizeOfPath: SizeEstimator,
): CallEstimate {
  const sizeOf = (node: CostNode) => node.size ?? (node.path.length === 0 ? undefined : sizeOfPath(node.path)) ?? UNKNOWN_RANGE;
  const operands = { target, args, sizeOf };
  return (
    estimatorByOverload[overload]?.(operands, overload) ??
    estimatorByFunction[fn]?.(operands, overload) ??
    standardEstimators[overload]?.(operands, overload) ?? { cost: UNIT_RANGE }
  );
}

const forNames = (estimate: CallEstimator, ...names: string[]): Record<string, CallEstimator> =>
  Object.fromEntries(names.map((name) => [name, estimate]));
const stringCost = (size: EstimateRange, times = 1) => scaleRange(size, times * STRING_TRAVERSAL_COST_FACTOR);
const regexCost = (string: EstimateRange, source: EstimateRange) =>
  multiplyRanges(scaleRange(addRanges(string, UNIT_RANGE), STRING_TRAVERSAL_COST_FACTOR), scaleRange(source, REGEX_LENGTH_COST_FACTOR));

const traverseArgument =
  (times = 1, keeps = false): CallEstimator =>
  ({ args, sizeOf }) => {
    if (args.length === 0) return undefined;
    const size = sizeOf(args[0]!);
    return { cost: stringCost(size, times), size: keeps ? size : undefined };
  };
const traverseTarget: CallEstimator = ({ target, sizeOf }) => {
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  return { cost: stringCost(size), size };
};
const unitCost: CallEstimator = () => ({ cost: UNIT_RANGE });
const address = { min: 4, max: 16 };

/** Estimators of the Kubernetes CEL libraries, by function. */
const estimatorByFunction: Readonly<Record<string, CallEstimator>> = {
  ...forNames(estimateListTraversal, "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"),
  url: traverseArgument(1, true),
  ...forNames(traverseTarget, "lowerAscii", "upperAscii", "substring", "trim"),
  replace: estimateReplace,
  split: estimateSplit,
  join: estimateJoin,
  ...forNames(estimateFind, "find", "findAll"),
  ...forNames(traverseArgument(), "cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"),
  ip: (operands, overload) => (overload === "cidr_ip" ? { cost: UNIT_RANGE } : traverseArgument()(operands, overload)),
  "ip.isCanonical": traverseArgument(2),
  containsIP: ({ args, sizeOf }, overload) => ({
    cost: addRanges(
      stringCost(addRanges(address, address)),
      overload === "cidr_contains_ip_string" ? stringCost(sizeOf(args[0]!)) : fixedRange(0),
    ),
  }),
  containsCIDR: ({ args, sizeOf }, overload) => ({
    cost: addRanges(
      stringCost(addRanges(address, address)),
      stringCost(address),
      UNIT_RANGE,
      overload === "cidr_contains_cidr_string" ? stringCost(sizeOf(args[0]!)) : fixedRange(0),
    ),
  }),
  validate: ({ args, sizeOf }) => ({ cost: scaleRange(stringCost(sizeOf(args[0]!)), 128 * REGEX_LENGTH_COST_FACTOR) }),
  "_==_": estimateOpaqueEquality,
  ...forNames(
    unitCost,
    "masked",
    "prefixLength",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
  ),
  ...forNames(
    unitCost,
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
  ...forNames(unitCost, "major", "minor", "patch", "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"),
};

function getItemNode(list: CostNode): CostNode | undefined {
  const type = list.type.params[0];
  if (type === undefined) return undefined;
  return { expr: undefined, type, path: list.path.length === 0 ? [] : [...list.path, "@items"], size: undefined };
}

function estimateListTraversal({ target, sizeOf }: CallOperands): CallEstimate | undefined {
  if (target === undefined) return undefined;
  const item = getItemNode(target);
  if (item === undefined) return { cost: stringCost(sizeOf(target)) };
  const isText = item.type.name === "string" || item.type.name === "bytes";
  return { cost: multiplyRanges(sizeOf(target), isText ? addRanges(UNIT_RANGE, stringCost(sizeOf(item))) : UNIT_RANGE) };
}

function estimateReplace({ target, args, sizeOf }: CallOperands): CallEstimate | undefined {
  if (target === undefined || args.length < 2) return undefined;
  const size = sizeOf(target);
  const old = sizeOf(args[0]!);
  const by = sizeOf(args[1]!);
  const longest =
    old.min === 0
      ? { count: Math.min(size.max + 1, MAX_ESTIMATE), unchanged: size.max }
      : by.max <= old.min
        ? { count: 0, unchanged: size.max }
        : { count: Math.ceil(size.max / old.min), unchanged: 0 };
  const shortest =
    old.max === 0
      ? { count: Math.min(size.min + 1, MAX_ESTIMATE), unchanged: size.min }
      : old.max <= by.min
        ? { count: 0, unchanged: size.min }
        : { count: Math.ceil(size.min / old.max), unchanged: 0 };
  const result = addRanges(multiplyRanges({ min: shortest.count, max: longest.count }, by), {
    min: shortest.unchanged,
    max: longest.unchanged,
  });
  return { cost: stringCost(size, 2), size: result };
}

function estimateSplit({ target, args, sizeOf }: CallOperands): CallEstimate | undefined {
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  const limit = args[1]?.expr;
  const max = limit?.is === "literal" && typeof limit.value === "bigint" ? Number(BigInt.asUintN(64, limit.value)) : size.max;
  return { cost: stringCost(size, 2), size: { min: 0, max } };
}

function estimateJoin({ target, args, sizeOf }: CallOperands): CallEstimate | undefined {
  if (target === undefined) return undefined;
  const count = sizeOf(target);
  const item = getItemNode(target);
  let size: EstimateRange = item === undefined ? fixedRange(0) : multiplyRanges(count, sizeOf(item));
  if (args.length > 0)
    size = addRanges(size, multiplyRanges(sizeOf(args[0]!), { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }));
  return { cost: stringCost(size), size };
}

function estimateFind({ target, args, sizeOf }: CallOperands): CallEstimate | undefined {
  if (target === undefined || args.length === 0) return undefined;
  const size = sizeOf(target);
  return { cost: regexCost(size, sizeOf(args[0]!)), size: { min: 0, max: size.max } };
}

function estimateOpaqueEquality({ args: [left, right] }: CallOperands): CallEstimate | undefined {
  if (left === undefined || right === undefined || left.type.kind !== "opaque" || !sameType(left.type, right.type)) return undefined;
  switch (left.type.name) {
    case "net.IP":
    case "net.CIDR":
    case "kubernetes.Quantity":
    case "kubernetes.Semver":
      return { cost: UNIT_RANGE };
    case "kubernetes.NamedFormat":
      return { cost: stringCost({ min: 1, max: 64 }) };
    case "kubernetes.URL":
      return { cost: stringCost({ min: 1, max: right.size?.max ?? 1 }) };
    default:
      return undefined;
  }
}

const createListEstimate = (size: EstimateRange, factor: number): CallEstimate => ({
  cost: addRanges(scaleRange(size, factor), UNIT_RANGE, fixedRange(LIST_CREATE_COST)),
  size,
});
const getLiteralOr = (node: CostNode, otherwise: number) =>
  node.expr?.is === "literal" && typeof node.expr.value === "bigint" ? Math.max(0, Number(node.expr.value)) : otherwise;
const createQuadraticEstimate = (size: EstimateRange, isText: boolean) =>
  createListEstimate(multiplyRanges(size, size), isText ? 2 + STRING_TRAVERSAL_COST_FACTOR : 2);

const createSetEstimator =
  (factor: number): CallEstimator =>
  ({ args, sizeOf }) => ({ cost: addRanges(scaleRange(multiplyRanges(sizeOf(args[0]!), sizeOf(args[1]!)), factor), UNIT_RANGE) });

/** Estimators of the cel-go extension libraries, by overload. */
const estimatorByOverload: Readonly<Record<string, CallEstimator>> = {
  list_slice: ({ target, args, sizeOf }) =>
    createListEstimate(fixedRange(getLiteralOr(args[1]!, sizeOf(target!).max) - getLiteralOr(args[0]!, 0)), 1),
  list_flatten: ({ target, sizeOf }) => createListEstimate(sizeOf(target!), 1),
  list_flatten_int: ({ target, args, sizeOf }) => createListEstimate(sizeOf(target!), getLiteralOr(args[0]!, MAX_ESTIMATE)),
  lists_range: ({ args }) => createListEstimate(fixedRange(getLiteralOr(args[0]!, MAX_ESTIMATE)), 1),
  list_reverse: ({ target, sizeOf }) => createListEstimate(sizeOf(target!), 1),
  list_distinct: ({ target, sizeOf }) => createQuadraticEstimate(sizeOf(target!), false),
  ...Object.fromEntries(
    ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"].flatMap((type): [string, CallEstimator][] => {
      const isText = type === "string" || type === "bytes";
      return [
        [`list_${type}_sort`, ({ target, sizeOf }) => createQuadraticEstimate(sizeOf(target!), isText)],
        [`list_${type}_sortByAssociatedKeys`, ({ args, sizeOf }) => createQuadraticEstimate(sizeOf(args[0]!), isText)],
      ];
    }),
  ),
  list_sets_contains_list: createSetEstimator(1),
  list_sets_intersects_list: createSetEstimator(1),
  list_sets_equivalent_list: createSetEstimator(2),
};

const getKnownSize = (node: CostNode | undefined): EstimateRange => node?.size ?? UNKNOWN_RANGE;

const estimateComparison: CallEstimator = ({ args }) => {
  const max = Math.min(getKnownSize(args[0]).max, getKnownSize(args[1]).max);
  return { cost: stringCost({ min: max > 0 ? 1 : 0, max }) };
};
const estimateAddition: CallEstimator = ({ args }, overload) => {
  const result = addRanges(getKnownSize(args[0]), getKnownSize(args[1]));
  return { cost: overload === "add_list" ? UNIT_RANGE : stringCost(result), size: result };
};

/** Estimators of the CEL standard library, by overload. */
const standardEstimators: Readonly<Record<string, CallEstimator>> = {
  string_format: ({ target }) => ({ cost: stringCost(getKnownSize(target)) }),
  string_to_bytes: ({ args }) => ({
    cost: stringCost(getKnownSize(args[0])),
    size: { min: getKnownSize(args[0]).min, max: getKnownSize(args[0]).max * 4 },
  }),
  bytes_to_string: ({ args }) => ({
    cost: stringCost(getKnownSize(args[0])),
    size: { min: Math.floor(getKnownSize(args[0]).min / 4), max: getKnownSize(args[0]).max },
  }),
  strings_quote: ({ args }) => ({
    cost: stringCost(getKnownSize(args[0])),
    size: { min: getKnownSize(args[0]).min + 2, max: getKnownSize(args[0]).max * 2 + 2 },
  }),
  ...forNames(({ args }) => ({ cost: stringCost(getKnownSize(args[0])) }), "starts_with_string", "ends_with_string"),
  in_list: ({ args }) => ({ cost: getKnownSize(args[1]) }),
  matches_string: ({ target, args }) =>
    target === undefined ? undefined : { cost: regexCost(getKnownSize(target), getKnownSize(args[0])) },
  contains_string: ({ target, args }) => ({ cost: multiplyRanges(stringCost(getKnownSize(target)), stringCost(getKnownSize(args[0]))) }),
  ...forNames(estimateAddition, "add_string", "add_bytes", "add_list"),
  ...forNames(estimateComparison, "equals", "not_equals"),
  ...forNames(estimateComparison, "less_string", "less_equals_string", "greater_string", "greater_equals_string"),
  ...forNames(estimateComparison, "less_bytes", "less_equals_bytes", "greater_bytes", "greater_equals_bytes"),
};
