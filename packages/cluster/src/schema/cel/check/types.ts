/** A CEL type, as the type checker sees it. */
export interface Type {
  readonly kind: "simple" | "list" | "map" | "struct" | "opaque" | "type" | "param" | "dyn" | "null" | "error";
  readonly name: string;
  readonly params: readonly Type[];
  /** Field types of a struct, resolved lazily so that types may be recursive. */
  readonly fields?: ((name: string) => Type | undefined) | undefined;
}

const createSimpleType = (name: string, kind: Type["kind"] = "simple"): Type => ({ kind, name, params: [] });

export const BOOL = createSimpleType("bool");
export const INT = createSimpleType("int");
export const UINT = createSimpleType("uint");
export const DOUBLE = createSimpleType("double");
export const STRING = createSimpleType("string");
export const BYTES = createSimpleType("bytes");
export const DURATION = createSimpleType("duration");
export const TIMESTAMP = createSimpleType("timestamp");
export const NULL = createSimpleType("null", "null");
export const DYN = createSimpleType("dyn", "dyn");
export const ERROR = createSimpleType("!error!", "error");

export const listOf = (item: Type): Type => ({ kind: "list", name: "list", params: [item] });
export const mapOf = (key: Type, value: Type): Type => ({ kind: "map", name: "map", params: [key, value] });
export const opaque = (name: string, ...params: Type[]): Type => ({ kind: "opaque", name, params });
export const optionalOf = (value: Type): Type => opaque("optional_type", value);
export const typeOf = (of?: Type): Type => ({ kind: "type", name: "type", params: of === undefined ? [] : [of] });
export const param = (name: string): Type => ({ kind: "param", name, params: [] });
export const struct = (name: string, fields?: Type["fields"]): Type => ({ kind: "struct", name, params: [], fields });

export function isDyn(type: Type): boolean {
  return type.kind === "dyn";
}

/** Returns the type inside an optional, and whether the type was one. */
export function unwrapOptional(type: Type): readonly [Type, boolean] {
  return type.kind === "opaque" && type.name === "optional_type" ? [type.params[0]!, true] : [type, false];
}

export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  return (
    a.kind === b.kind && a.name === b.name && a.params.length === b.params.length && a.params.every((one, i) => sameType(one, b.params[i]!))
  );
}

export function formatType(type: Type): string {
  return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(", ")})`;
}

/** Formats the argument types of a call: `string.(int)`. */
export function formatArguments(types: readonly Type[], isMember: boolean): string {
  const [target, ...rest] = types;
  const list = (some: readonly Type[]) => `(${some.map(formatType).join(", ")})`;
  return isMember ? `${formatType(target!)}.${list(rest)}` : list(types);
}
