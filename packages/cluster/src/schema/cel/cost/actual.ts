import { NamedFormatValue } from "../library/named-formats.ts";
import { CidrValue, IpValue } from "../library/network.ts";
import { countCodePoints } from "../values/code-points.ts";
import { Failure, ListValue, MapValue, OpaqueValue, PlainList, type Value } from "../values/value.ts";
import { getCallWork } from "./work.ts";

/** Cost factors per character of a string, and per character of a regular expression. */
export const STRING_TRAVERSAL_COST_FACTOR = 0.1;
export const REGEX_LENGTH_COST_FACTOR = 0.25;
/** Instructions of a pattern that cost as much as one other operation. */
export const REGEX_WORK_PER_COST = 10;
const TIME_ZONE_COST = 200;
/** An unknown one is looked up as long as no other is. */
const UNKNOWN_TIME_ZONE_COST = 1000;
/** Items whose look-up costs as much as one other operation. */
const ITEMS_PER_COST = 8;
export const LIST_CREATE_COST = 10;
export const MAP_CREATE_COST = 30;
export const STRUCT_CREATE_COST = 40;

type CallCostFunction = (args: readonly Value[], result: Value) => number;

const getTraversalCost = (size: number, times = 1) => Math.ceil(size * times * STRING_TRAVERSAL_COST_FACTOR);
const traverseFirst =
  (times = 1): CallCostFunction =>
  ([first]) =>
    getTraversalCost(getSize(first!), times);
const unitCost: CallCostFunction = () => 1;
const traverseList: CallCostFunction = ([first]) => getDeepTraversalCost(first!);
const regexCost: CallCostFunction = ([text, source]) =>
  Math.ceil((1 + getSize(text!)) * STRING_TRAVERSAL_COST_FACTOR) * Math.ceil(getSize(source!) * REGEX_LENGTH_COST_FACTOR);

/** Costs by function name, for all its overloads. */
const costByFunction: Readonly<Record<string, CallCostFunction>> = {
  ...forNames(traverseList, "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"),
  ...forNames(
    traverseFirst(),
    "url",
    "lowerAscii",
    "upperAscii",
    "substring",
    "trim",
    "cidr",
    "isIP",
    "isCIDR",
    "quantity",
    "isQuantity",
    "semver",
    "isSemver",
  ),
  ...forNames(traverseFirst(2), "replace", "split", "ip.isCanonical"),
  join: (_, result) => getTraversalCost(getSize(result), 2),
  ...forNames(regexCost, "find", "findAll"),
  // Upstream counts 1 for looking up a time zone, too.
  ...forNames(
    (args, result) => (args.length === 1 ? 1 : result instanceof Failure ? UNKNOWN_TIME_ZONE_COST : TIME_ZONE_COST),
    "getFullYear",
    "getMonth",
    "getDayOfYear",
    "getDayOfMonth",
    "getDate",
    "getDayOfWeek",
    "getHours",
    "getMinutes",
    "getSeconds",
    "getMilliseconds",
  ),
  // The cost budget of an expression allows two authorization checks.
  check: () => 350_000,
  ip: ([first]) => (first instanceof CidrValue ? 1 : getTraversalCost(getSize(first!))),
  containsIP: ([cidr, other]) => getTraversalCost(2 * getSize(cidr!)) + (typeof other === "string" ? getTraversalCost(getSize(other)) : 0),
  containsCIDR: ([cidr, other]) =>
    getTraversalCost(2 * getSize(cidr!)) +
    getTraversalCost(getSize(cidr!)) +
    1 +
    (typeof other === "string" ? getTraversalCost(getSize(other)) : 0),
  validate: ([format, text]) =>
    Math.ceil((1 + getSize(text!)) * STRING_TRAVERSAL_COST_FACTOR) *
    Math.ceil((format instanceof NamedFormatValue ? format.patternSize : 1) * REGEX_LENGTH_COST_FACTOR),
};

/** Characters that are counted one by one in the time of one other operation. */
const CHARACTERS_PER_COST = 64;

const costByOverload: Readonly<Record<string, CallCostFunction>> = {
  ...forNames(
    traverseFirst(),
    "starts_with_string",
    "ends_with_string",
    "string_to_bytes",
    "bytes_to_string",
    "strings_quote",
    "string_format",
  ),
  in_list: ([, list]) => getSize(list!),
  matches_string: regexCost,
  contains_string: ([text, part]) => Math.ceil(getTraversalCost(getSize(text!)) * getTraversalCost(getSize(part!))),
  ...forNames(([a, b]) => getTraversalCost(getSize(a!) + getSize(b!)), "add_string", "add_bytes"),
  ...forNames(
    ([a, b]) => (a instanceof OpaqueValue ? 1 : getTraversalCost(Math.min(getSize(a!), getSize(b!)))),
    "equals",
    "not_equals",
    "less_string",
    "less_equals_string",
    "greater_string",
    "greater_equals_string",
    "less_bytes",
    "less_equals_bytes",
    "greater_bytes",
    "greater_equals_bytes",
  ),
  ...forNames((_, result) => getSize(result) + 1 + LIST_CREATE_COST, "list_slice", "lists_range", "list_reverse"),
  // Upstream counts 1, whatever the length. Only where code points and UTF-16 units differ has the text to be read.
  string_char_at_int: ([text]) =>
    1 + (countCodePoints(text as string) === (text as string).length ? 0 : Math.floor((text as string).length / CHARACTERS_PER_COST)),
  // The same: a text of another form is read, and quoted in the error.
  ...forNames(
    ([text]) => 1 + Math.floor((text as string).length / CHARACTERS_PER_COST),
    "string_to_bool",
    "string_to_double",
    "string_to_duration",
    "string_to_int64",
    "string_to_timestamp",
    "string_to_uint64",
  ),
  // Lists that are sets or maps look for equal items; upstream counts 1, as for other lists.
  add_list: ([a, b]) => 1 + (a instanceof PlainList && a.mergesItems ? Math.floor((a.size + getSize(b!)) / ITEMS_PER_COST) : 0),
  list_flatten: ([list]) => getSize(list!) + 1 + LIST_CREATE_COST,
  list_flatten_int: ([list, depth]) => getSize(list!) * Math.max(0, Number(depth)) + 1 + LIST_CREATE_COST,
  list_distinct: ([list]) => getSelfCompareCost(list!),
};

function forNames(cost: CallCostFunction, ...names: string[]): Record<string, CallCostFunction> {
  return Object.fromEntries(names.map((name) => [name, cost]));
}

/** Returns the actual cost of an evaluated call; evaluation stops when the sum exceeds the limit. */
export function getCallCost(fn: string, overload: string, args: readonly Value[], result: Value): number {
  return getUpstreamCost(fn, overload, args, result) + getCallWork(overload, args, result);
}

function getUpstreamCost(fn: string, overload: string, args: readonly Value[], result: Value): number {
  if (overload.startsWith("list_") && overload.endsWith("_sort")) return getSelfCompareCost(args[0]!);
  if (overload.endsWith("_sortByAssociatedKeys")) return getSelfCompareCost(args[1]!);
  return (costByFunction[fn] ?? costByOverload[overload] ?? unitCost)(args, result);
}

function getSelfCompareCost(list: Value): number {
  const size = getSize(list);
  const texts = list instanceof ListValue && list.size > 0 && typeof list.at(0) === "string";
  return Math.floor(size * size * (texts ? 2 + STRING_TRAVERSAL_COST_FACTOR : 2)) + 1 + LIST_CREATE_COST;
}

/** Returns the number of characters, bytes, items or entries; 1 for values without a size. */
export function getSize(value: Value): number {
  if (typeof value === "string") return countCodePoints(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  if (value instanceof IpValue) return value.bytes.length;
  return value instanceof CidrValue ? Math.ceil(value.bits / 8) : 1;
}

function getDeepTraversalCost(value: Value): number {
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * STRING_TRAVERSAL_COST_FACTOR);
  if (value instanceof Uint8Array) return Math.floor(value.length * STRING_TRAVERSAL_COST_FACTOR);
  let cost = 0;
  if (value instanceof ListValue) {
    for (const item of value.values()) cost += getDeepTraversalCost(item);
    return cost;
  }
  if (!(value instanceof MapValue)) return 1;
  for (const key of value.keys()) cost += getDeepTraversalCost(key) + getDeepTraversalCost(value.find(key) ?? null);
  return cost;
}
