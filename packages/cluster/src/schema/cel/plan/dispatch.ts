import type { Overload } from "../check/functions.ts";
import type { Type } from "../check/types.ts";
import { fail, ListValue, MapValue, Optional, TypeValue, typeName, type Value } from "../values/value.ts";

/** Can values of these types only be told at run time? */
export function isDynamic(type: Type): boolean {
  return type.kind === "dyn" || type.kind === "param" || type.params.some(isDynamic);
}

/** Finds the overload that takes the values there are. */
export function overloadFor(overloads: readonly Overload[], args: readonly Value[]): Overload | undefined {
  return overloads.find(({ args: types }) => types.length === args.length && types.every((type, i) => isOf(args[i]!, type)));
}

export function noOverload(fn: string, args: readonly Value[]): Value {
  return fail(`no such overload: ${fn}(${args.map(typeName).join(", ")})`);
}

function isOf(value: Value, type: Type): boolean {
  switch (type.kind) {
    case "dyn":
    case "param":
      return true;
    case "list":
      return value instanceof ListValue;
    case "map":
      return value instanceof MapValue;
    case "type":
      return value instanceof TypeValue;
    case "null":
      return value === null;
    default:
      if (type.name === "optional_type") return value instanceof Optional;
      return typeName(value) === (wellKnown[type.name] ?? type.name);
  }
}

const wellKnown: Readonly<Record<string, string>> = { duration: "google.protobuf.Duration", timestamp: "google.protobuf.Timestamp" };
