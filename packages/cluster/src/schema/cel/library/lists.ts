import type { OverloadDefinition } from "../check/functions.ts";
import { compareValues, equalValues } from "../values/equal.ts";
import {
  createFailure,
  Duration,
  Failure,
  getMapKey,
  ListValue,
  type MapValue,
  NO_OVERLOAD,
  Optional,
  PlainList,
  type PlainMap,
  Uint,
  type Value,
} from "../values/value.ts";
import { operatorFunctions } from "./operators.ts";

const comparableTypes = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"] as const;
const zeros = { int: 0n, uint: new Uint(0n), double: 0, duration: new Duration(0n) } as const;

const adders = new Map(
  operatorFunctions
    .filter(([, signature]) => signature.startsWith("_+_("))
    .map(([, signature, run]) => [/\((\w+),/.exec(signature)?.[1], run]),
);

function createSumFunction(type: keyof typeof zeros) {
  const add = adders.get(type)!;
  return (list: ListValue): Value => {
    let total: Value = zeros[type];
    for (const item of list.values()) {
      if (item instanceof Failure) return item;
      total = add(total, item);
      if (total instanceof Failure) return total;
    }
    return total;
  };
}

function createExtremeFunction(name: "min" | "max") {
  return (list: ListValue): Value => {
    let best: Value | undefined;
    for (const item of list.values()) {
      if (item instanceof Failure) return item;
      const order = best === undefined ? undefined : compareValues(best, item);
      if (best === undefined || (order !== undefined && (name === "min" ? order > 0 : order < 0))) best = item;
    }
    return best ?? createFailure(`${name} called on empty list`);
  };
}

function isSorted(list: ListValue): Value {
  let previous: Value | undefined;
  for (const item of list.values()) {
    if (item instanceof Failure) return item;
    if (previous !== undefined && (compareValues(previous, item) ?? 0) > 0) return false;
    previous = item;
  }
  return true;
}

function indexOf(list: ListValue, target: Value): Value {
  for (let i = 0; i < list.size; i++) if (equalValues(list.at(i), target) === true) return BigInt(i);
  return -1n;
}

function lastIndexOf(list: ListValue, target: Value): Value {
  for (let i = list.size - 1; i >= 0; i--) if (equalValues(list.at(i), target) === true) return BigInt(i);
  return -1n;
}

function slice(list: ListValue, start: bigint, end: bigint): Value {
  if (start < 0n || end < 0n) return createFailure(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end) return createFailure(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (list.size < end) return createFailure(`cannot slice(${start}, ${end}), list is length ${list.size}`);
  return new PlainList([...list.values()].slice(Number(start), Number(end)));
}

function flatten(list: ListValue, depth = 1n): Value {
  if (depth < 0n) return createFailure("level must be non-negative");
  const items: Value[] = [];
  const flattenInto = (from: ListValue, levels: bigint) => {
    for (const item of from.values()) {
      if (item instanceof ListValue && levels > 0n) flattenInto(item, levels - 1n);
      else items.push(item);
    }
  };
  flattenInto(list, depth);
  return new PlainList(items);
}

function distinct(list: ListValue): Value {
  const unique: Value[] = [];
  for (const item of list.values()) if (!unique.some((other) => equalValues(item, other) === true)) unique.push(item);
  return new PlainList(unique);
}

function sortBy(list: ListValue, keys: ListValue): Value {
  if (list.size !== keys.size) {
    return createFailure(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  }
  const order = [...keys.values()].map((key, index) => ({ key, index }));
  let comparableKeys = true;
  order.sort((a, b) => {
    const result = compareValues(a.key, b.key);
    if (result === undefined) comparableKeys = false;
    return result ?? 0;
  });
  if (!comparableKeys) return createFailure("list elements must be comparable");
  return new PlainList(order.map(({ index }) => list.at(index)));
}

function range(count: bigint): Value {
  return new PlainList(Array.from({ length: Math.max(0, Number(count)) }, (_, i) => BigInt(i)));
}

function getEndItem(list: ListValue, index: number): Value {
  return list.size === 0 ? Optional.none : new Optional(list.at(index < 0 ? list.size - 1 : index));
}

function unwrap(list: ListValue): Value {
  const values: Value[] = [];
  for (const item of list.values()) {
    if (!(item instanceof Optional)) return item instanceof Failure ? item : NO_OVERLOAD;
    if (item.value !== undefined) values.push(item.value);
  }
  return new PlainList(values);
}

function insert(map: PlainMap, key: Value, value: Value): Value {
  if (map.find(key) !== undefined) return createFailure(`insert failed: key ${String(key)} already exists`);
  return getMapKey(key) === undefined ? NO_OVERLOAD : map.with(key, value);
}

function insertAll(map: PlainMap, more: MapValue): Value {
  let result: Value = map;
  for (const key of more.keys()) {
    result = insert(result as PlainMap, key, more.find(key)!);
    if (result instanceof Failure) return result;
  }
  return result;
}

export const listFunctions: readonly OverloadDefinition[] = [
  ...comparableTypes.flatMap((type): OverloadDefinition[] => [
    [`list_${type}_is_sorted_bool`, `list(${type}).isSorted(): bool`, isSorted],
    [`list_${type}_max_${type}`, `list(${type}).max(): ${type}`, createExtremeFunction("max")],
    [`list_${type}_min_${type}`, `list(${type}).min(): ${type}`, createExtremeFunction("min")],
    [`list_${type}_sort`, `list(${type}).sort(): list(${type})`, (list: ListValue) => sortBy(list, list)],
    [`list_${type}_sortByAssociatedKeys`, `list(T).@sortByAssociatedKeys(list(${type})): list(T)`, sortBy],
  ]),
  ...(Object.keys(zeros) as (keyof typeof zeros)[]).map(
    (type): OverloadDefinition => [`list_${type}_sum_${type}`, `list(${type}).sum(): ${type}`, createSumFunction(type)],
  ),
  ["list_a_index_of_int", "list(A).indexOf(A): int", indexOf],
  ["list_a_last_index_of_int", "list(A).lastIndexOf(A): int", lastIndexOf],
  ["list_slice", "list(T).slice(int, int): list(T)", slice],
  ["list_flatten", "list(list(T)).flatten(): list(T)", flatten],
  ["list_flatten_int", "list(dyn).flatten(int): list(dyn)", flatten],
  ["list_reverse", "list(T).reverse(): list(T)", (list: ListValue) => new PlainList([...list.values()].reverse())],
  ["list_distinct", "list(T).distinct(): list(T)", distinct],
  ["lists_range", "lists.range(int): list(int)", range],
  ["list_first", "list(V).first(): optional_type(V)", (list: ListValue) => getEndItem(list, 0)],
  ["list_last", "list(V).last(): optional_type(V)", (list: ListValue) => getEndItem(list, -1)],
  ["optional_unwrap", "optional.unwrap(list(optional_type(V))): list(V)", unwrap],
  ["optional_unwrapOpt", "list(optional_type(V)).unwrapOpt(): list(V)", unwrap],
  ["@mapInsert_key_value", "cel.@mapInsert(map(K, V), K, V): map(K, V)", insert],
  ["@mapInsert_map", "cel.@mapInsert(map(K, V), map(K, V)): map(K, V)", insertAll],
];

function every(items: ListValue, test: (item: Value) => boolean): boolean {
  for (const item of items.values()) if (!test(item)) return false;
  return true;
}

const includesValue = (list: ListValue, target: Value) => !every(list, (item) => equalValues(item, target) !== true);
const containsAll = (list: ListValue, part: ListValue) => every(part, (item) => includesValue(list, item));

export const setFunctions: readonly OverloadDefinition[] = [
  ["list_sets_contains_list", "sets.contains(list(T), list(T)): bool", containsAll],
  [
    "list_sets_equivalent_list",
    "sets.equivalent(list(T), list(T)): bool",
    (a: ListValue, b: ListValue) => containsAll(a, b) && containsAll(b, a),
  ],
  [
    "list_sets_intersects_list",
    "sets.intersects(list(T), list(T)): bool",
    (a: ListValue, b: ListValue) => !every(a, (item) => !includesValue(b, item)),
  ],
];
