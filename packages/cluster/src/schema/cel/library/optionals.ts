import type { OverloadDefinition } from "../check/functions.ts";
import { createFailure, Duration, ListValue, MapValue, NO_OVERLOAD, Optional, Timestamp, Uint, type Value } from "../values/value.ts";

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  return (value instanceof Duration || value instanceof Timestamp) && value.nanos === 0n;
}

export const optionalFunctions: readonly OverloadDefinition[] = [
  ["optional_of", "optional.of(V): optional_type(V)", (value: Value) => new Optional(value)],
  [
    "optional_ofNonZeroValue",
    "optional.ofNonZeroValue(V): optional_type(V)",
    (value: Value) => (isZero(value) ? Optional.none : new Optional(value)),
  ],
  ["optional_none", "optional.none(): optional_type(V)", () => Optional.none],
  ["optional_value", "optional_type(V).value(): V", ({ value }: Optional) => value ?? createFailure("optional.none() dereference")],
  ["optional_hasValue", "optional_type(V).hasValue(): bool", ({ value }: Optional) => value !== undefined],
  // The planner evaluates the second argument of both lazily.
  ["optional_or_optional", "optional_type(V).or(optional_type(V)): optional_type(V)", () => NO_OVERLOAD],
  ["optional_orValue_value", "optional_type(V).orValue(V): V", () => NO_OVERLOAD],
];
