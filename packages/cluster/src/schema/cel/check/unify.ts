import { DYN, isDyn, listOf, mapOf, opaque, sameType, type Type, typeOf } from "./types.ts";

/** Current substitutions of type parameters. */
export type Bindings = ReadonlyMap<string, Type>;

/** Returns the bindings under which `from` is assignable to `to`, or undefined if it is not. */
export function assignTypes(bindings: Bindings, from: readonly Type[], to: readonly Type[]): Bindings | undefined {
  const draft = new Map(bindings);
  return assignAll(draft, from, to) ? draft : undefined;
}

function assignAll(bindings: Map<string, Type>, from: readonly Type[], to: readonly Type[]): boolean {
  return from.length === to.length && from.every((type, i) => assignOne(bindings, type, to[i]!));
}

function assignOne(bindings: Map<string, Type>, a: Type, b: Type): boolean {
  if (b.kind === "param") {
    const [valid, bound] = trySubstitute(bindings, a, b);
    if (valid) return true;
    if (bound) return false;
  }
  if (a.kind === "param") return trySubstitute(bindings, b, a)[0];
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === "null") return isNullable(b);
  if (b.kind === "null") return isNullable(a);
  switch (a.kind) {
    case "type":
      return b.kind === "type";
    case "opaque":
    case "list":
    case "map":
      return a.kind === b.kind && a.name === b.name && assignAll(bindings, a.params, b.params);
    default:
      return a.kind === b.kind && a.name === b.name;
  }
}

function isDynOrError(type: Type): boolean {
  return type.kind === "dyn" || type.kind === "error";
}

function isNullable(type: Type): boolean {
  return type.kind === "null" || type.kind === "opaque" || type.kind === "struct" || type.name === "duration" || type.name === "timestamp";
}

/** Returns whether the parameter can be substituted by the type, and whether it was already bound. */
function trySubstitute(bindings: Map<string, Type>, type: Type, parameter: Type): readonly [boolean, boolean] {
  if (type.kind === "param" && type.name === parameter.name) return [true, true];
  const bound = bindings.get(parameter.name);
  if (bound !== undefined) {
    if (sameType(type, bound)) return [true, true];
    if (!assignOne(bindings, type, bound)) return [false, true];
    const general = getMostGeneral(type, bound);
    if (!containsParameter(bindings, parameter, general)) bindings.set(parameter.name, general);
    return [true, true];
  }
  if (containsParameter(bindings, parameter, type)) return [false, false];
  bindings.set(parameter.name, type);
  return [true, false];
}

function containsParameter(bindings: Bindings, parameter: Type, within: Type): boolean {
  if (within.kind === "param") {
    if (within.name === parameter.name) return true;
    const bound = bindings.get(within.name);
    return bound !== undefined && containsParameter(bindings, parameter, bound);
  }
  return within.params.some((type) => containsParameter(bindings, parameter, type));
}

export function getMostGeneral(a: Type, b: Type): Type {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === "param") return true;
  if (isDyn(b) || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.kind === "opaque" || a.kind === "list" || a.kind === "map") {
    return a.name === b.name && a.params.length === b.params.length && a.params.every((type, i) => isLessSpecific(type, b.params[i]!));
  }
  return sameType(a, b);
}

/** Substitutes bound type parameters; with `final`, unbound ones become dyn. */
export function substituteParameters(bindings: Bindings, type: Type, final = false): Type {
  if (type.kind === "param") {
    const bound = bindings.get(type.name);
    if (bound !== undefined) return substituteParameters(bindings, bound, final);
    return final ? DYN : type;
  }
  if (type.params.length === 0) return type;
  const params = type.params.map((one) => substituteParameters(bindings, one, final));
  switch (type.kind) {
    case "list":
      return listOf(params[0]!);
    case "map":
      return mapOf(params[0]!, params[1]!);
    case "type":
      return typeOf(params[0]);
    default:
      return opaque(type.name, ...params);
  }
}
