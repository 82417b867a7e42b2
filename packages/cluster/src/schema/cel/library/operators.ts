import type { OverloadDefinition } from "../check/functions.ts";
import { countCodePoints } from "../values/code-points.ts";
import { compareValues, equalValues } from "../values/equal.ts";
import {
  createFailure,
  type Duration,
  Failure,
  type ListValue,
  MapValue,
  NO_OVERLOAD,
  Optional,
  type Timestamp,
  Uint,
  type Value,
} from "../values/value.ts";
import { addDuration, createDuration } from "./time.ts";

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

function checkIntRange(value: bigint): Value {
  return value < minInt || value > maxInt ? createFailure("integer overflow") : value;
}
function checkUintRange(value: bigint): Value {
  return value < 0n || value > maxUint ? createFailure("unsigned integer overflow") : new Uint(value);
}
const concatBytes = (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b]));

/** Operators that the planner evaluates itself (&&, ||, ?:, ...) are declared for type checking only. */
const evaluatedByPlanner = (): Value => NO_OVERLOAD;

const arithmeticFunctions: readonly OverloadDefinition[] = [
  ["add_bytes", "_+_(bytes, bytes): bytes", concatBytes],
  ["add_double", "_+_(double, double): double", (a: number, b: number) => a + b],
  ["add_duration_duration", "_+_(duration, duration): duration", (a: Duration, b: Duration) => createDuration(a.nanos + b.nanos)],
  ["add_duration_timestamp", "_+_(duration, timestamp): timestamp", (a: Duration, b: Timestamp) => addDuration(b, a.nanos)],
  ["add_timestamp_duration", "_+_(timestamp, duration): timestamp", (a: Timestamp, b: Duration) => addDuration(a, b.nanos)],
  ["add_int64", "_+_(int, int): int", (a: bigint, b: bigint) => checkIntRange(a + b)],
  ["add_list", "_+_(list(A), list(A)): list(A)", (a: ListValue, b: ListValue) => a.concat(b)],
  ["add_string", "_+_(string, string): string", (a: string, b: string) => a + b],
  ["add_uint64", "_+_(uint, uint): uint", (a: Uint, b: Uint) => checkUintRange(a.value + b.value)],
  ["subtract_double", "_-_(double, double): double", (a: number, b: number) => a - b],
  ["subtract_duration_duration", "_-_(duration, duration): duration", (a: Duration, b: Duration) => createDuration(a.nanos - b.nanos)],
  ["subtract_int64", "_-_(int, int): int", (a: bigint, b: bigint) => checkIntRange(a - b)],
  ["subtract_timestamp_duration", "_-_(timestamp, duration): timestamp", (a: Timestamp, b: Duration) => addDuration(a, -b.nanos)],
  [
    "subtract_timestamp_timestamp",
    "_-_(timestamp, timestamp): duration",
    (a: Timestamp, b: Timestamp) => createDuration(a.nanos - b.nanos),
  ],
  ["subtract_uint64", "_-_(uint, uint): uint", (a: Uint, b: Uint) => checkUintRange(a.value - b.value)],
  ["multiply_double", "_*_(double, double): double", (a: number, b: number) => a * b],
  ["multiply_int64", "_*_(int, int): int", (a: bigint, b: bigint) => checkIntRange(a * b)],
  ["multiply_uint64", "_*_(uint, uint): uint", (a: Uint, b: Uint) => checkUintRange(a.value * b.value)],
  ["divide_double", "_/_(double, double): double", (a: number, b: number) => a / b],
  ["divide_int64", "_/_(int, int): int", (a: bigint, b: bigint) => (b === 0n ? createFailure("division by zero") : checkIntRange(a / b))],
  [
    "divide_uint64",
    "_/_(uint, uint): uint",
    (a: Uint, b: Uint) => (b.value === 0n ? createFailure("division by zero") : checkUintRange(a.value / b.value)),
  ],
  ["modulo_int64", "_%_(int, int): int", (a: bigint, b: bigint) => (b === 0n ? createFailure("modulus by zero") : checkIntRange(a % b))],
  [
    "modulo_uint64",
    "_%_(uint, uint): uint",
    (a: Uint, b: Uint) => (b.value === 0n ? createFailure("modulus by zero") : checkUintRange(a.value % b.value)),
  ],
  ["negate_double", "-_(double): double", (a: number) => -a],
  ["negate_int64", "-_(int): int", (a: bigint) => checkIntRange(-a)],
];

const logicFunctions: readonly OverloadDefinition[] = [
  ["conditional", "_?_:_(bool, A, A): A", evaluatedByPlanner],
  ["logical_and", "_&&_(bool, bool): bool", evaluatedByPlanner],
  ["logical_or", "_||_(bool, bool): bool", evaluatedByPlanner],
  ["logical_not", "!_(bool): bool", (a: boolean) => !a],
  ["not_strictly_false", "@not_strictly_false(bool): bool", evaluatedByPlanner],
  ["equals", "_==_(A, A): bool", equalValues],
  ["not_equals", "_!=_(A, A): bool", (a: Value, b: Value) => negate(equalValues(a, b))],
];

function negate(value: boolean | Failure): boolean | Failure {
  return value instanceof Failure ? value : !value;
}

const orderOperators: readonly (readonly [fn: string, id: string, test: (order: number) => boolean])[] = [
  ["_<_", "less", (order) => order < 0],
  ["_<=_", "less_equals", (order) => order <= 0],
  ["_>_", "greater", (order) => order > 0],
  ["_>=_", "greater_equals", (order) => order >= 0],
];
const orderedTypes: readonly (readonly [id: string, left: string, right: string])[] = [
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
const comparisonFunctions: readonly OverloadDefinition[] = orderOperators.flatMap(([fn, id, test]) =>
  orderedTypes.map(([types, left, right]): OverloadDefinition => {
    const run = (a: Value, b: Value) => {
      const order = compareValues(a, b);
      return order === undefined ? createFailure("NaN values cannot be ordered") : test(order);
    };
    return [`${id}_${types}`, `${fn}(${left}, ${right}): bool`, run];
  }),
);

const containerFunctions: readonly OverloadDefinition[] = [
  ["index_list", "_[_](list(A), int): A", getElement],
  ["index_map", "_[_](map(A, B), A): B", getMapValue],
  ["optional_list_index_int", "_[_](optional_type(list(V)), int): optional_type(V)", (a: Optional, b: Value) => getThroughOptional(a, b)],
  ["optional_map_index_value", "_[_](optional_type(map(K, V)), K): optional_type(V)", (a: Optional, b: Value) => getThroughOptional(a, b)],
  ["list_optindex_optional_int", "_[?_](list(V), int): optional_type(V)", getOptionalElement],
  [
    "optional_list_optindex_optional_int",
    "_[?_](optional_type(list(V)), int): optional_type(V)",
    (a: Optional, b: Value) => getThroughOptional(a, b),
  ],
  ["map_optindex_optional_value", "_[?_](map(K, V), K): optional_type(V)", getOptionalElement],
  [
    "optional_map_optindex_optional_value",
    "_[?_](optional_type(map(K, V)), K): optional_type(V)",
    (a: Optional, b: Value) => getThroughOptional(a, b),
  ],
  ["in_list", "@in(A, list(A)): bool", listContains],
  ["in_map", "@in(A, map(A, B)): bool", hasKey],
];

function getElement(list: ListValue, index: Value): Value {
  const position =
    typeof index === "bigint"
      ? Number(index)
      : typeof index === "number" && Number.isInteger(index)
        ? index
        : index instanceof Uint
          ? Number(index.value)
          : undefined;
  if (position === undefined) return createFailure(`unsupported index value: ${String(index)}`);
  return position < 0 || position >= list.size ? createFailure(`index out of bounds: ${position}`) : list.at(position);
}

export function getMapValue(map: MapValue, key: Value): Value {
  return map.find(key) ?? createFailure(`no such key: ${formatKey(key)}`);
}

function formatKey(key: Value): string {
  return key instanceof Uint ? String(key.value) : String(key);
}

/** Evaluates `container[?index]`; a missing element is not an error. */
function getOptionalElement(container: Value, index: Value): Value {
  const found = container instanceof MapValue ? container.find(index) : getElement(container as ListValue, index);
  if (found === undefined || (found instanceof Failure && !(container instanceof MapValue))) return Optional.none;
  return found instanceof Failure ? found : new Optional(found);
}

function getThroughOptional(container: Optional, index: Value): Value {
  return container.value === undefined ? Optional.none : getOptionalElement(container.value, index);
}

function listContains(value: Value, list: ListValue): Value {
  let failure: Failure | undefined;
  for (const item of list.values()) {
    const same = equalValues(item, value);
    if (same === true) return true;
    if (same instanceof Failure) failure ??= same;
  }
  return failure ?? false;
}

function hasKey(key: Value, map: MapValue): Value {
  const found = map.find(key);
  return found instanceof Failure ? found : found !== undefined;
}

const sizeFunctions: readonly OverloadDefinition[] = (["bytes", "list(A)", "map(A, B)", "string"] as const).flatMap(
  (type): OverloadDefinition[] => {
    const name = type.split("(")[0]!;
    return [
      [`size_${name}`, `size(${type}): int`, getSize],
      [`${name}_size`, `${type}.size(): int`, getSize],
    ];
  },
);

function getSize(value: string | Uint8Array | ListValue | MapValue): bigint {
  if (typeof value === "string") return BigInt(countCodePoints(value));
  return BigInt(value instanceof Uint8Array ? value.length : value.size);
}

export const operatorFunctions: readonly OverloadDefinition[] = [
  ...logicFunctions,
  ...arithmeticFunctions,
  ...comparisonFunctions,
  ...containerFunctions,
  ...sizeFunctions,
];
