import type { Declared } from "../check/functions.ts";
import { compare, equal } from "../values/equal.ts";
import {
  Duration,
  Failure,
  fail,
  ListValue,
  type MapValue,
  mapKey,
  NO_OVERLOAD,
  Optional,
  PlainList,
  type PlainMap,
  Uint,
  type Value,
} from "../values/value.ts";
import { operators } from "./operators.ts";

const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"] as const;
const zeros = { int: 0n, uint: new Uint(0n), double: 0, duration: new Duration(0n) } as const;

const adders = new Map(
  operators.filter(([, signature]) => signature.startsWith("_+_(")).map(([, signature, run]) => [/\((\w+),/.exec(signature)?.[1], run]),
);

function sum(type: keyof typeof zeros) {
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

function extreme(name: "min" | "max") {
  return (list: ListValue): Value => {
    let best: Value | undefined;
    for (const item of list.values()) {
      if (item instanceof Failure) return item;
      const order = best === undefined ? undefined : compare(best, item);
      if (best === undefined || (order !== undefined && (name === "min" ? order > 0 : order < 0))) best = item;
    }
    return best ?? fail(`${name} called on empty list`);
  };
}

function isSorted(list: ListValue): Value {
  let previous: Value | undefined;
  for (const item of list.values()) {
    if (item instanceof Failure) return item;
    if (previous !== undefined && (compare(previous, item) ?? 0) > 0) return false;
    previous = item;
  }
  return true;
}

function indexOf(list: ListValue, wanted: Value): Value {
  for (let i = 0; i < list.size; i++) if (equal(list.at(i), wanted) === true) return BigInt(i);
  return -1n;
}

function lastIndexOf(list: ListValue, wanted: Value): Value {
  for (let i = list.size - 1; i >= 0; i--) if (equal(list.at(i), wanted) === true) return BigInt(i);
  return -1n;
}

function slice(list: ListValue, start: bigint, end: bigint): Value {
  if (start < 0n || end < 0n) return fail(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end) return fail(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (list.size < end) return fail(`cannot slice(${start}, ${end}), list is length ${list.size}`);
  return new PlainList([...list.values()].slice(Number(start), Number(end)));
}

function flatten(list: ListValue, depth = 1n): Value {
  if (depth < 0n) return fail("level must be non-negative");
  const flat = (items: ListValue, levels: bigint): Value[] =>
    [...items.values()].flatMap((item) => (item instanceof ListValue && levels > 0n ? flat(item, levels - 1n) : [item]));
  return new PlainList(flat(list, depth));
}

function distinct(list: ListValue): Value {
  const kept: Value[] = [];
  for (const item of list.values()) if (!kept.some((other) => equal(item, other) === true)) kept.push(item);
  return new PlainList(kept);
}

function sortBy(list: ListValue, keys: ListValue): Value {
  if (list.size !== keys.size) {
    return fail(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  }
  const order = [...keys.values()].map((key, index) => ({ key, index }));
  let comparableKeys = true;
  order.sort((a, b) => {
    const result = compare(a.key, b.key);
    if (result === undefined) comparableKeys = false;
    return result ?? 0;
  });
  if (!comparableKeys) return fail("list elements must be comparable");
  return new PlainList(order.map(({ index }) => list.at(index)));
}

function range(count: bigint): Value {
  return new PlainList(Array.from({ length: Math.max(0, Number(count)) }, (_, i) => BigInt(i)));
}

function end(list: ListValue, index: number): Value {
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
  if (map.find(key) !== undefined) return fail(`insert failed: key ${String(key)} already exists`);
  return mapKey(key) === undefined ? NO_OVERLOAD : map.with(key, value);
}

function insertAll(map: PlainMap, more: MapValue): Value {
  let result: Value = map;
  for (const key of more.keys()) {
    result = insert(result as PlainMap, key, more.find(key)!);
    if (result instanceof Failure) return result;
  }
  return result;
}

export const lists: readonly Declared[] = [
  ...comparable.flatMap((type): Declared[] => [
    [`list_${type}_is_sorted_bool`, `list(${type}).isSorted(): bool`, isSorted],
    [`list_${type}_max_${type}`, `list(${type}).max(): ${type}`, extreme("max")],
    [`list_${type}_min_${type}`, `list(${type}).min(): ${type}`, extreme("min")],
    [`list_${type}_sort`, `list(${type}).sort(): list(${type})`, (list: ListValue) => sortBy(list, list)],
    [`list_${type}_sortByAssociatedKeys`, `list(T).@sortByAssociatedKeys(list(${type})): list(T)`, sortBy],
  ]),
  ...(Object.keys(zeros) as (keyof typeof zeros)[]).map(
    (type): Declared => [`list_${type}_sum_${type}`, `list(${type}).sum(): ${type}`, sum(type)],
  ),
  ["list_a_index_of_int", "list(A).indexOf(A): int", indexOf],
  ["list_a_last_index_of_int", "list(A).lastIndexOf(A): int", lastIndexOf],
  ["list_slice", "list(T).slice(int, int): list(T)", slice],
  ["list_flatten", "list(list(T)).flatten(): list(T)", flatten],
  ["list_flatten_int", "list(dyn).flatten(int): list(dyn)", flatten],
  ["list_reverse", "list(T).reverse(): list(T)", (list: ListValue) => new PlainList([...list.values()].reverse())],
  ["list_distinct", "list(T).distinct(): list(T)", distinct],
  ["lists_range", "lists.range(int): list(int)", range],
  ["list_first", "list(V).first(): optional_type(V)", (list: ListValue) => end(list, 0)],
  ["list_last", "list(V).last(): optional_type(V)", (list: ListValue) => end(list, -1)],
  ["optional_unwrap", "optional.unwrap(list(optional_type(V))): list(V)", unwrap],
  ["optional_unwrapOpt", "list(optional_type(V)).unwrapOpt(): list(V)", unwrap],
  ["@mapInsert_key_value", "cel.@mapInsert(map(K, V), K, V): map(K, V)", insert],
  ["@mapInsert_map", "cel.@mapInsert(map(K, V), map(K, V)): map(K, V)", insertAll],
];

function every(items: ListValue, test: (item: Value) => boolean): boolean {
  for (const item of items.values()) if (!test(item)) return false;
  return true;
}

const has = (list: ListValue, wanted: Value) => !every(list, (item) => equal(item, wanted) !== true);
const containsAll = (list: ListValue, part: ListValue) => every(part, (item) => has(list, item));

export const sets: readonly Declared[] = [
  ["list_sets_contains_list", "sets.contains(list(T), list(T)): bool", containsAll],
  [
    "list_sets_equivalent_list",
    "sets.equivalent(list(T), list(T)): bool",
    (a: ListValue, b: ListValue) => containsAll(a, b) && containsAll(b, a),
  ],
  [
    "list_sets_intersects_list",
    "sets.intersects(list(T), list(T)): bool",
    (a: ListValue, b: ListValue) => !every(a, (item) => !has(b, item)),
  ],
];
