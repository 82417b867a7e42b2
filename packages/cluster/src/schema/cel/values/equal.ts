import { Duration, Failure, ListValue, MapValue, OpaqueValue, Optional, Timestamp, TypeValue, Uint, type Value } from "./value.ts";

/** Compares any two values. Values of different types are unequal, except that numbers compare across numeric types. */
export function equalValues(a: Value, b: Value): boolean | Failure {
  if (a instanceof Failure) return a;
  if (b instanceof Failure) return b;
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a === b;
  if (a instanceof ListValue) return b instanceof ListValue && equalLists(a, b);
  if (a instanceof MapValue) return b instanceof MapValue && equalMaps(a, b);
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  return a instanceof OpaqueValue && b instanceof OpaqueValue && a.typeName === b.typeName && a.equals(b);
}

/** Implemented by lists and maps that do not compare item by item, such as sets and lists with map keys. */
export interface CustomEquality {
  equalTo(other: Value): boolean | Failure;
}

function hasCustomEquality(value: object): value is CustomEquality {
  return "equalTo" in value;
}

function equalLists(a: ListValue, b: ListValue): boolean | Failure {
  if (hasCustomEquality(a)) return a.equalTo(b);
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) {
    const same = equalValues(a.at(i), b.at(i));
    if (same !== true) return same;
  }
  return true;
}

function equalMaps(a: MapValue, b: MapValue): boolean | Failure {
  if (hasCustomEquality(a)) return a.equalTo(b);
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const other = b.find(key);
    if (other === undefined) return false;
    const same = equalValues(a.find(key)!, other);
    if (same !== true) return same;
  }
  return true;
}

function equalOptionals(a: Optional, b: Optional): boolean | Failure {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equalValues(a.value, b.value);
}

export type NumberValue = bigint | number | Uint;

export function isNumber(value: Value): value is NumberValue {
  return typeof value === "bigint" || typeof value === "number" || value instanceof Uint;
}

/** Compares two numbers; undefined if one of them is NaN. */
function compareNumbers(a: NumberValue, b: NumberValue): number | undefined {
  const x = a instanceof Uint ? a.value : a;
  const y = b instanceof Uint ? b.value : b;
  if (Number.isNaN(x) || Number.isNaN(y)) return undefined;
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Compares two values of the same ordered type; undefined if they have no order. */
export function compareValues(a: Value, b: Value): number | undefined {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Duration && b instanceof Duration) return compareNumbers(a.nanos, b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return compareNumbers(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  return undefined;
}

/** Compares by UTF-8 bytes, that is by code points; UTF-16 code units order differently beyond the basic plane. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\u0000-\ud7ff]*$/.test(a) && /^[\u0000-\ud7ff]*$/.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
