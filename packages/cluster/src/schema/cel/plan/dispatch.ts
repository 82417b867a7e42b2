import type { Overload } from "../check/functions.ts";
import type { Type } from "../check/types.ts";
import { createFailure, getTypeName, ListValue, MapValue, NO_OVERLOAD, Optional, TypeValue, type Value } from "../values/value.ts";

/** Returns whether the type of a value is only known at run time. */
export function isDynamic(type: Type): boolean {
  return type.kind === "dyn" || type.kind === "param" || type.params.some(isDynamic);
}

/** Finds the overload that accepts the argument values. */
export function findOverload(overloads: readonly Overload[], args: readonly Value[]): Overload | undefined {
  return overloads.find(({ args: types }) => types.length === args.length && types.every((type, i) => isOfType(args[i]!, type)));
}

/**
 * Returns the failure of a call without a matching overload; the text depends on the cel-go library that declares the
 * function.
 */
export function createNoOverloadFailure(fn: string, args: readonly Value[]): Value {
  if (fn === "_[_]") return createFailure(`no such key: ${String(args[1])}`);
  if (fn === "size") return createFailure("no such overload: size");
  if (/[_@]/.test(fn) || standardMembers.has(fn)) return NO_OVERLOAD;
  return createFailure(`no such overload: ${fn}(${args.map(getTypeName).join(", ")})`);
}

const standardMembers: ReadonlySet<string> = new Set(["contains", "endsWith", "startsWith", "matches"]);

const goNames: Readonly<Record<string, string>> = {
  int: "Int",
  uint: "Uint",
  double: "Double",
  string: "String",
  bool: "Bool",
  bytes: "Bytes",
  null_type: "Null",
};

/** Returns the Go type name of a value, as cel-go prints it. */
export function getGoTypeName(value: Value): string {
  const name = getTypeName(value);
  return `types.${goNames[name] ?? name.split(".").at(-1)!}`;
}

function isOfType(value: Value, type: Type): boolean {
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
      return getTypeName(value) === (wellKnownTypeNames[type.name] ?? type.name);
  }
}

const wellKnownTypeNames: Readonly<Record<string, string>> = {
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
};
