import { FormatValue } from "../library/named-formats.ts";
import { CidrValue, IpValue } from "../library/network.ts";
import { ListValue, MapValue, Opaque, type Value } from "../values/value.ts";

/** What reading one character, or one of a pattern, costs. */
export const TEXT_FACTOR = 0.1;
export const PATTERN_FACTOR = 0.25;
export const LIST_COST = 10;
export const MAP_COST = 30;
export const STRUCT_COST = 40;

type CallCost = (args: readonly Value[], result: Value) => number;

const traversal = (size: number, times = 1) => Math.ceil(size * times * TEXT_FACTOR);
const ofFirst =
  (times = 1): CallCost =>
  ([first]) =>
    traversal(sizeOf(first!), times);
const one: CallCost = () => 1;
const wholeList: CallCost = ([first]) => traverse(first!);
const pattern: CallCost = ([text, source]) => Math.ceil((1 + sizeOf(text!)) * TEXT_FACTOR) * Math.ceil(sizeOf(source!) * PATTERN_FACTOR);

/** By function, whatever its overload. */
const byFunction: Readonly<Record<string, CallCost>> = {
  ...named(wholeList, "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"),
  ...named(
    ofFirst(),
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
  ...named(ofFirst(2), "replace", "split", "ip.isCanonical"),
  join: (_, result) => traversal(sizeOf(result), 2),
  ...named(pattern, "find", "findAll"),
  // Dear enough that an expression can afford two.
  check: () => 350_000,
  ip: ([first]) => (first instanceof CidrValue ? 1 : traversal(sizeOf(first!))),
  containsIP: ([cidr, other]) => traversal(2 * sizeOf(cidr!)) + (typeof other === "string" ? traversal(sizeOf(other)) : 0),
  containsCIDR: ([cidr, other]) =>
    traversal(2 * sizeOf(cidr!)) + traversal(sizeOf(cidr!)) + 1 + (typeof other === "string" ? traversal(sizeOf(other)) : 0),
  validate: ([format, text]) =>
    Math.ceil((1 + sizeOf(text!)) * TEXT_FACTOR) * Math.ceil((format instanceof FormatValue ? format.patternSize : 1) * PATTERN_FACTOR),
};

const byOverload: Readonly<Record<string, CallCost>> = {
  ...named(ofFirst(), "starts_with_string", "ends_with_string", "string_to_bytes", "bytes_to_string", "strings_quote", "string_format"),
  in_list: ([, list]) => sizeOf(list!),
  matches_string: pattern,
  contains_string: ([text, part]) => Math.ceil(traversal(sizeOf(text!)) * traversal(sizeOf(part!))),
  ...named(([a, b]) => traversal(sizeOf(a!) + sizeOf(b!)), "add_string", "add_bytes"),
  ...named(
    ([a, b]) => (a instanceof Opaque ? 1 : traversal(Math.min(sizeOf(a!), sizeOf(b!)))),
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
  ...named((_, result) => sizeOf(result) + 1 + LIST_COST, "list_slice", "lists_range", "list_reverse"),
  list_flatten: ([list]) => sizeOf(list!) + 1 + LIST_COST,
  list_flatten_int: ([list, depth]) => sizeOf(list!) * Number(depth) + 1 + LIST_COST,
  list_distinct: ([list]) => selfCompare(list!),
};

function named(cost: CallCost, ...names: string[]): Record<string, CallCost> {
  return Object.fromEntries(names.map((name) => [name, cost]));
}

/** What a call cost that was made; evaluation is stopped when the sum grows too big. */
export function callCost(fn: string, overload: string, args: readonly Value[], result: Value): number {
  if (overload.startsWith("list_") && overload.endsWith("_sort")) return selfCompare(args[0]!);
  if (overload.endsWith("_sortByAssociatedKeys")) return selfCompare(args[1]!);
  return (byFunction[fn] ?? byOverload[overload] ?? one)(args, result);
}

function selfCompare(list: Value): number {
  const size = sizeOf(list);
  const texts = list instanceof ListValue && list.size > 0 && typeof list.at(0) === "string";
  return Math.floor(size * size * (texts ? 2 + TEXT_FACTOR : 2)) + 1 + LIST_COST;
}

/** Characters, bytes, items, entries; 1 for everything that has no size. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return [...value].length;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  if (value instanceof IpValue) return value.bytes.length;
  return value instanceof CidrValue ? Math.ceil(value.bits / 8) : 1;
}

function traverse(value: Value): number {
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * TEXT_FACTOR);
  if (value instanceof Uint8Array) return Math.floor(value.length * TEXT_FACTOR);
  let cost = 0;
  if (value instanceof ListValue) {
    for (const item of value.values()) cost += traverse(item);
    return cost;
  }
  if (!(value instanceof MapValue)) return 1;
  for (const key of value.keys()) cost += traverse(key) + traverse(value.find(key) ?? null);
  return cost;
}
