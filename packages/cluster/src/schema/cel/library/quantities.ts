import { parseQuantity, scaleByPowerOfTen } from "pintle/internal/merge";
import type { OverloadDefinition } from "../check/functions.ts";
import { createFailure, type Failure, OpaqueValue, type Value } from "../values/value.ts";

/** A quantity with the exact value mantissa × 10^exponent. */
class QuantityValue extends OpaqueValue {
  readonly typeName = "kubernetes.Quantity";
  readonly mantissa: bigint;
  readonly exponent: number;
  constructor(mantissa: bigint, exponent: number) {
    super();
    this.mantissa = mantissa;
    this.exponent = exponent;
  }
  equals(other: QuantityValue): boolean {
    return compareQuantities(this, other) === 0n;
  }
}

const invalidQuantityMessage = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function parseQuantityValue(text: string): QuantityValue | Failure {
  const value = text === text.trim() ? parseQuantity(text) : undefined;
  if (value === undefined) return createFailure(invalidQuantityMessage);
  return new QuantityValue(value.mantissa, value.exponent);
}

/** Returns both mantissas at the smaller exponent. */
function alignMantissas(a: QuantityValue, b: QuantityValue): readonly [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaleMantissa = (one: QuantityValue) => scaleByPowerOfTen(one.mantissa, one.exponent - exponent);
  return [scaleMantissa(a), scaleMantissa(b), exponent];
}

function compareQuantities(a: QuantityValue, b: QuantityValue): bigint {
  const [x, y] = alignMantissas(a, b);
  return x < y ? -1n : x > y ? 1n : 0n;
}

function add(a: QuantityValue, b: QuantityValue | bigint, sign: bigint): QuantityValue {
  const other = typeof b === "bigint" ? new QuantityValue(b, 0) : b;
  const [x, y, exponent] = alignMantissas(a, other);
  return new QuantityValue(x + sign * y, exponent);
}

/** Returns the quantity as an int64; undefined if it is not a whole number in that range. */
function toInteger({ mantissa, exponent }: QuantityValue): bigint | undefined {
  const value =
    exponent >= 0
      ? scaleByPowerOfTen(mantissa, exponent)
      : mantissa % 10n ** BigInt(-exponent) === 0n
        ? mantissa / 10n ** BigInt(-exponent)
        : undefined;
  return value !== undefined && value >= -(2n ** 63n) && value < 2n ** 63n ? value : undefined;
}

type Q = QuantityValue;
const type = "kubernetes.Quantity";

export const quantityFunctions: readonly OverloadDefinition[] = [
  ["string_to_quantity", `quantity(string): ${type}`, parseQuantityValue],
  ["is_quantity_string", "isQuantity(string): bool", (text: string) => parseQuantityValue(text) instanceof QuantityValue],
  ["quantity_sign", `sign(${type}): int`, ({ mantissa }: Q) => (mantissa < 0n ? -1n : mantissa > 0n ? 1n : 0n)],
  ["quantity_is_greater_than", `${type}.isGreaterThan(${type}): bool`, (a: Q, b: Q) => compareQuantities(a, b) > 0n],
  ["quantity_is_less_than", `${type}.isLessThan(${type}): bool`, (a: Q, b: Q) => compareQuantities(a, b) < 0n],
  ["quantity_compare_to", `${type}.compareTo(${type}): int`, compareQuantities],
  ["quantity_get_float", `${type}.asApproximateFloat(): double`, ({ mantissa, exponent }: Q) => Number(`${mantissa}e${exponent}`)],
  [
    "quantity_get_int",
    `${type}.asInteger(): int`,
    (value: Q): Value => toInteger(value) ?? createFailure("cannot convert value to integer"),
  ],
  ["quantity_is_integer", `${type}.isInteger(): bool`, (value: Q) => toInteger(value) !== undefined],
  ["quantity_add", `${type}.add(${type}): ${type}`, (a: Q, b: Q) => add(a, b, 1n)],
  ["quantity_add_int", `${type}.add(int): ${type}`, (a: Q, b: bigint) => add(a, b, 1n)],
  ["quantity_sub", `${type}.sub(${type}): ${type}`, (a: Q, b: Q) => add(a, b, -1n)],
  ["quantity_sub_int", `${type}.sub(int): ${type}`, (a: Q, b: bigint) => add(a, b, -1n)],
];
