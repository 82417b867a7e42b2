import type { Json } from "pintle/kinds";

/** Compares two scalars in a filter; throws when they are not comparable, as the server gives up on them. */
export function compare(a: Json, operator: string, b: Json): boolean {
  const kind = kindOf(a);
  if (kind !== kindOf(b)) throw new TypeError("incompatible types for comparison");
  switch (operator) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
  }
  if (kind === "boolean") throw new TypeError("invalid type for comparison");
  const [x, y] = [a as number, b as number];
  switch (operator) {
    case "<":
      return x < y;
    case "<=":
      return x <= y;
    case ">":
      return x > y;
    case ">=":
      return x >= y;
    default:
      throw new TypeError(`unrecognized filter operator ${operator}`);
  }
}

/** Whole numbers and others do not compare. */
function kindOf(value: Json): string {
  if (value === null || typeof value === "object") throw new TypeError("invalid type for comparison");
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float";
  return typeof value === "bigint" ? "integer" : typeof value;
}
