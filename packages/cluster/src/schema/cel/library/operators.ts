import type { Declared } from "../check/functions.ts";
import { compare, equal } from "../values/equal.ts";
import {
  type Duration,
  Failure,
  fail,
  type ListValue,
  MapValue,
  NO_OVERLOAD,
  Optional,
  type Timestamp,
  Uint,
  type Value,
} from "../values/value.ts";
import { addDuration, toDuration } from "./time.ts";

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

function int(value: bigint): Value {
  return value < minInt || value > maxInt ? fail("integer overflow") : value;
}
function uint(value: bigint): Value {
  return value < 0n || value > maxUint ? fail("unsigned integer overflow") : new Uint(value);
}
const bytesOf = (a: Uint8Array, b: Uint8Array) => Uint8Array.from([...a, ...b]);

/** Calls that are evaluated in ways of their own (&&, ||, ?:, ...) are declared for their types only. */
const special = (): Value => NO_OVERLOAD;

const arithmetic: readonly Declared[] = [
  ["add_bytes", "_+_(bytes, bytes): bytes", bytesOf],
  ["add_double", "_+_(double, double): double", (a: number, b: number) => a + b],
  ["add_duration_duration", "_+_(duration, duration): duration", (a: Duration, b: Duration) => toDuration(a.nanos + b.nanos)],
  ["add_duration_timestamp", "_+_(duration, timestamp): timestamp", (a: Duration, b: Timestamp) => addDuration(b, a.nanos)],
  ["add_timestamp_duration", "_+_(timestamp, duration): timestamp", (a: Timestamp, b: Duration) => addDuration(a, b.nanos)],
  ["add_int64", "_+_(int, int): int", (a: bigint, b: bigint) => int(a + b)],
  ["add_list", "_+_(list(A), list(A)): list(A)", (a: ListValue, b: ListValue) => a.concat(b)],
  ["add_string", "_+_(string, string): string", (a: string, b: string) => a + b],
  ["add_uint64", "_+_(uint, uint): uint", (a: Uint, b: Uint) => uint(a.value + b.value)],
  ["subtract_double", "_-_(double, double): double", (a: number, b: number) => a - b],
  ["subtract_duration_duration", "_-_(duration, duration): duration", (a: Duration, b: Duration) => toDuration(a.nanos - b.nanos)],
  ["subtract_int64", "_-_(int, int): int", (a: bigint, b: bigint) => int(a - b)],
  ["subtract_timestamp_duration", "_-_(timestamp, duration): timestamp", (a: Timestamp, b: Duration) => addDuration(a, -b.nanos)],
  ["subtract_timestamp_timestamp", "_-_(timestamp, timestamp): duration", (a: Timestamp, b: Timestamp) => toDuration(a.nanos - b.nanos)],
  ["subtract_uint64", "_-_(uint, uint): uint", (a: Uint, b: Uint) => uint(a.value - b.value)],
  ["multiply_double", "_*_(double, double): double", (a: number, b: number) => a * b],
  ["multiply_int64", "_*_(int, int): int", (a: bigint, b: bigint) => int(a * b)],
  ["multiply_uint64", "_*_(uint, uint): uint", (a: Uint, b: Uint) => uint(a.value * b.value)],
  ["divide_double", "_/_(double, double): double", (a: number, b: number) => a / b],
  ["divide_int64", "_/_(int, int): int", (a: bigint, b: bigint) => (b === 0n ? fail("division by zero") : int(a / b))],
  ["divide_uint64", "_/_(uint, uint): uint", (a: Uint, b: Uint) => (b.value === 0n ? fail("division by zero") : uint(a.value / b.value))],
  ["modulo_int64", "_%_(int, int): int", (a: bigint, b: bigint) => (b === 0n ? fail("modulus by zero") : int(a % b))],
  ["modulo_uint64", "_%_(uint, uint): uint", (a: Uint, b: Uint) => (b.value === 0n ? fail("modulus by zero") : uint(a.value % b.value))],
  ["negate_double", "-_(double): double", (a: number) => -a],
  ["negate_int64", "-_(int): int", (a: bigint) => int(-a)],
];

const logic: readonly Declared[] = [
  ["conditional", "_?_:_(bool, A, A): A", special],
  ["logical_and", "_&&_(bool, bool): bool", special],
  ["logical_or", "_||_(bool, bool): bool", special],
  ["logical_not", "!_(bool): bool", (a: boolean) => !a],
  ["not_strictly_false", "@not_strictly_false(bool): bool", special],
  ["equals", "_==_(A, A): bool", equal],
  ["not_equals", "_!=_(A, A): bool", (a: Value, b: Value) => negated(equal(a, b))],
];

function negated(value: boolean | Failure): boolean | Failure {
  return value instanceof Failure ? value : !value;
}

const orders: readonly (readonly [fn: string, id: string, test: (order: number) => boolean])[] = [
  ["_<_", "less", (order) => order < 0],
  ["_<=_", "less_equals", (order) => order <= 0],
  ["_>_", "greater", (order) => order > 0],
  ["_>=_", "greater_equals", (order) => order >= 0],
];
const ordered: readonly (readonly [id: string, left: string, right: string])[] = [
  ["bool", "bool", "bool"],
  ["int64", "int", "int"],
  ["int64_double", "int", "double"],
  ["int64_uint64", "int", "uint"],
  ["uint64", "uint", "uint"],
  ["uint64_double", "uint", "double"],
  ["uint64_int64", "uint", "int"],
  ["double", "double", "double"],
  ["double_int64", "double", "int"],
  ["double_uint64", "double", "uint"],
  ["string", "string", "string"],
  ["bytes", "bytes", "bytes"],
  ["timestamp", "timestamp", "timestamp"],
  ["duration", "duration", "duration"],
];
const comparisons: readonly Declared[] = orders.flatMap(([fn, id, test]) =>
  ordered.map(([types, left, right]): Declared => {
    const run = (a: Value, b: Value) => {
      const order = compare(a, b);
      return order === undefined ? fail("NaN values cannot be ordered") : test(order);
    };
    return [`${id}_${types}`, `${fn}(${left}, ${right}): bool`, run];
  }),
);

const containers: readonly Declared[] = [
  ["index_list", "_[_](list(A), int): A", elementAt],
  ["index_map", "_[_](map(A, B), A): B", valueAt],
  ["optional_list_index_int", "_[_](optional_type(list(V)), int): optional_type(V)", (a: Optional, b: Value) => throughOptional(a, b)],
  ["optional_map_index_value", "_[_](optional_type(map(K, V)), K): optional_type(V)", (a: Optional, b: Value) => throughOptional(a, b)],
  ["list_optindex_optional_int", "_[?_](list(V), int): optional_type(V)", optionalElement],
  [
    "optional_list_optindex_optional_int",
    "_[?_](optional_type(list(V)), int): optional_type(V)",
    (a: Optional, b: Value) => throughOptional(a, b),
  ],
  ["map_optindex_optional_value", "_[?_](map(K, V), K): optional_type(V)", optionalElement],
  [
    "optional_map_optindex_optional_value",
    "_[?_](optional_type(map(K, V)), K): optional_type(V)",
    (a: Optional, b: Value) => throughOptional(a, b),
  ],
  ["in_list", "@in(A, list(A)): bool", contains],
  ["in_map", "@in(A, map(A, B)): bool", hasKey],
];

function elementAt(list: ListValue, index: Value): Value {
  const position =
    typeof index === "bigint"
      ? Number(index)
      : typeof index === "number" && Number.isInteger(index)
        ? index
        : index instanceof Uint
          ? Number(index.value)
          : undefined;
  if (position === undefined) return fail(`unsupported index value: ${String(index)}`);
  return position < 0 || position >= list.size ? fail(`index out of bounds: ${position}`) : list.at(position);
}

export function valueAt(map: MapValue, key: Value): Value {
  return map.find(key) ?? fail(`no such key: ${keyText(key)}`);
}

function keyText(key: Value): string {
  return key instanceof Uint ? String(key.value) : String(key);
}

/** `container[?index]`: nothing there is not an error. */
function optionalElement(container: Value, index: Value): Value {
  const found = container instanceof MapValue ? container.find(index) : elementAt(container as ListValue, index);
  if (found === undefined || (found instanceof Failure && !(container instanceof MapValue))) return Optional.none;
  return found instanceof Failure ? found : new Optional(found);
}

function throughOptional(container: Optional, index: Value): Value {
  return container.value === undefined ? Optional.none : optionalElement(container.value, index);
}

function contains(value: Value, list: ListValue): Value {
  let failure: Failure | undefined;
  for (const item of list.values()) {
    const same = equal(item, value);
    if (same === true) return true;
    if (same instanceof Failure) failure ??= same;
  }
  return failure ?? false;
}

function hasKey(key: Value, map: MapValue): Value {
  const found = map.find(key);
  return found instanceof Failure ? found : found !== undefined;
}

const sizes: readonly Declared[] = (["bytes", "list(A)", "map(A, B)", "string"] as const).flatMap((type): Declared[] => {
  const name = type.split("(")[0]!;
  return [
    [`size_${name}`, `size(${type}): int`, sizeOf],
    [`${name}_size`, `${type}.size(): int`, sizeOf],
  ];
});

function sizeOf(value: string | Uint8Array | ListValue | MapValue): bigint {
  if (typeof value === "string") return BigInt([...value].length);
  return BigInt(value instanceof Uint8Array ? value.length : value.size);
}

export const operators: readonly Declared[] = [...logic, ...arithmetic, ...comparisons, ...containers, ...sizes];
