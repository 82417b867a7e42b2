import type { Overload } from "../check/functions.ts";
import type { Type } from "../check/types.ts";
import { fail, ListValue, MapValue, NO_OVERLOAD, Optional, TypeValue, typeName, type Value } from "../values/value.ts";

/** Can values of these types only be told at run time? */
export function isDynamic(type: Type): boolean {
  return type.kind === "dyn" || type.kind === "param" || type.params.some(isDynamic);
}

/** Finds the overload that takes the values there are. */
export function overloadFor(overloads: readonly Overload[], args: readonly Value[]): Overload | undefined {
  return overloads.find(({ args: types }) => types.length === args.length && types.every((type, i) => isOf(args[i]!, type)));
}

/** The texts differ by who implements a function in cel-go. */
export function noOverload(fn: string, args: readonly Value[]): Value {
  if (fn === "_[_]") return fail(`no such key: ${String(args[1])}`);
  if (fn === "size") return fail("no such overload: size");
  if (/[_@]/.test(fn) || standardMembers.has(fn)) return NO_OVERLOAD;
  return fail(`no such overload: ${fn}(${args.map(typeName).join(", ")})`);
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

/** What Go calls the type of a value. */
export function goTypeName(value: Value): string {
  const name = typeName(value);
  return `types.${goNames[name] ?? name.split(".").at(-1)!}`;
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
