import { extendObject, isJsonObject, setOwnProperty } from "pintle/internal/json";
import { createStringCache, memoizeByKey } from "pintle/internal/memoize";
import { canonicalizeQuantity } from "pintle/internal/merge";
import type { Json, JsonObject } from "pintle/kinds";
import {
  DecodeError,
  formatUnixSeconds,
  getJsonTypeName,
  parseMicroTime,
  parseTime,
  TypeMismatchError,
} from "../../schema/decode/index.ts";
import { getDeclaredTypeName } from "./declared-names.ts";
import { type GoField, type GoType, getGoStruct } from "./go-structs.ts";
import { getZeroStruct, getZeroValue } from "./zero-values.ts";

/**
 * Decodes JSON into a Go value and encodes it again, which yields the value that kube-apiserver stores. Never returns
 * undefined; the enclosing struct decides whether a zero value is written. Paths of unknown fields, relative to the
 * value, are added to `unknown`.
 */
type GoRoundTrip = (value: Json, unknown: string[]) => Json;

/** Returns the round trip of a struct by name. A value already in stored form is returned unchanged. */
export const getRoundTrip: (struct: string) => GoRoundTrip = memoizeByKey((struct) => {
  let compiled: GoRoundTrip | undefined;
  // Compiled on first use, because most structs are never used and some are recursive.
  return (value, unknown) => {
    compiled ??= compileStruct(struct);
    return compiled(value, unknown);
  };
});

function compileStruct(name: string): GoRoundTrip {
  const label = getShortName(name);
  const fields = new Map([...getGoStruct(name)].map(([json, field]) => [json, { ...field, roundTrip: compileType(field.type) }]));
  const always = Object.entries(getZeroStruct(name) as JsonObject) as [string, Json][];
  return (value, unknown) => {
    if (value === null) return getZeroStruct(name);
    if (!isJsonObject(value)) throw new TypeMismatchError(getJsonTypeName(value), label);
    let copy: Record<string, Json | undefined> | undefined;
    for (const key in value) {
      const original = value[key]!;
      const field = fields.get(key);
      let stored: Json | undefined;
      if (field === undefined) unknown.push(key);
      else if (original === null && field.type.type !== "raw") stored = encodeNull(field);
      else {
        const before = unknown.length;
        try {
          stored = omitEmpty(field.roundTrip(original, unknown), field);
        } catch (error) {
          throw addFieldToError(error, name, key, field);
        }
        if (unknown.length > before) prefixUnknownPaths(unknown, before, key);
      }
      if (stored === original) continue;
      copy ??= extendObject(value, {});
      if (stored === undefined) delete copy[key];
      else setOwnProperty(copy, key, stored);
    }
    for (const [key, zero] of always) {
      if (Object.hasOwn(value, key)) continue;
      copy ??= extendObject(value, {});
      copy[key] = zero;
    }
    return copy ?? value;
  };
}

/** Returns the stored value of a null field, which counts as not set. */
function encodeNull({ type, zero }: GoField): Json | undefined {
  return zero === "write" ? getZeroValue(type) : zero === "null" ? null : undefined;
}

/** Returns the stored value of a field; undefined if it is omitted. */
function omitEmpty(value: Json, { type, zero }: GoField): Json | undefined {
  if (zero === "pointer" || zero === "null") return value;
  // Raw JSON and int-or-string values are never omitted.
  if (type.type === "raw" || type.type === "intOrString") return value;
  // An empty list has a field owner, so it becomes null only when the object is stored.
  if (isEmpty(value)) return zero === "omit" ? undefined : type.type === "list" ? value : getZeroValue(type);
  return zero === "omit" && type.type === "struct" && Object.keys(value as JsonObject).length === 0 ? undefined : value;
}

/** Returns whether omitempty leaves out the value. */
function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === "" || value === 0 || value === false || value === null;
}

function addFieldToError(error: unknown, struct: string, key: string, { type, embeddedPath, declaringStruct }: GoField): unknown {
  if (!(error instanceof TypeMismatchError)) return error;
  return error
    .renameType((actualType) => getFieldTypeName(declaringStruct ?? struct, key, type, actualType))
    .addField(struct.slice(struct.lastIndexOf(".") + 1), embeddedPath === undefined ? key : `${embeddedPath}.${key}`);
}

/** Returns the declared type name of a field, or of its items if those have the wrong type. */
function getFieldTypeName(struct: string, key: string, type: GoType, actualType: string): string {
  const declared = getDeclaredTypeName(struct, key);
  if (declared === undefined) return actualType;
  return actualType === formatTypeName(type) ? declared : declared.replace(/^(\[\]|map\[[^\]]*\])/, "");
}

/** Prefixes the paths added since index `from`, which are relative to a child, with the name of the child. */
function prefixUnknownPaths(unknown: string[], from: number, step: string): void {
  for (let i = from; i < unknown.length; i++) unknown[i] = unknown[i]!.startsWith("[") ? step + unknown[i] : `${step}.${unknown[i]}`;
}

function compileType(type: GoType): GoRoundTrip {
  switch (type.type) {
    case "struct":
      return compileUnion(type.name) ?? getRoundTrip(type.name);
    case "list":
      return compileList(type.of);
    case "map":
      return compileMap(type.of);
    case "integer":
      return compileInteger(type.bits);
    default:
      return SCALAR_ROUND_TRIPS[type.type];
  }
}

const JSON_SCHEMA_PROPS = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/** Compiles the union types of JSON Schema (a schema or a bool, a schema or a list), whose JSON differs from the Go struct. */
function compileUnion(struct: string): GoRoundTrip | undefined {
  const schema = getRoundTrip(JSON_SCHEMA_PROPS);
  const orList = (of: GoType): GoRoundTrip => {
    const list = compileList(of);
    return (value, unknown) => (Array.isArray(value) ? list(value, unknown) : schema(value, unknown));
  };
  switch (struct) {
    case `${JSON_SCHEMA_PROPS}OrBool`:
      return (value, unknown) => (typeof value === "boolean" ? value : schema(value, unknown));
    case `${JSON_SCHEMA_PROPS}OrArray`:
      return orList({ type: "struct", name: JSON_SCHEMA_PROPS });
    case `${JSON_SCHEMA_PROPS}OrStringArray`:
      return orList({ type: "string" });
    default:
      return undefined;
  }
}

function compileList(of: GoType): GoRoundTrip {
  const roundTrip = compileType(of);
  const label = formatTypeName({ type: "list", of });
  return (value, unknown) => {
    if (!Array.isArray(value)) throw new TypeMismatchError(getJsonTypeName(value), label);
    let copy: Json[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as Json;
      const before = unknown.length;
      const stored = item === null && of.type !== "raw" ? getZeroValue(of) : roundTrip(item, unknown);
      if (unknown.length > before) prefixUnknownPaths(unknown, before, `[${index}]`);
      if (stored === item) continue;
      copy ??= [...value];
      copy[index] = stored;
    }
    return copy ?? value;
  };
}

function compileMap(of: GoType): GoRoundTrip {
  const roundTrip = compileType(of);
  const none = of.type === "bytes" ? "" : getZeroValue(of);
  const label = formatTypeName({ type: "map", of });
  return (value, unknown) => {
    if (!isJsonObject(value)) throw new TypeMismatchError(getJsonTypeName(value), label);
    let copy: Record<string, Json | undefined> | undefined;
    let size = 0;
    for (const key in value) {
      size++;
      const original = value[key]!;
      const before = unknown.length;
      const stored = original === null && of.type !== "raw" ? none : roundTrip(original, unknown);
      if (unknown.length > before) prefixUnknownPaths(unknown, before, key);
      if (stored === original) continue;
      copy ??= extendObject(value, {});
      setOwnProperty(copy, key, stored);
    }
    return size === 0 ? null : (copy ?? value);
  };
}

function compileInteger(bits: 32 | 64): GoRoundTrip {
  const label = `int${bits}`;
  const limit = 2n ** BigInt(bits - 1);
  return (value) => {
    if (typeof value !== "number" && typeof value !== "bigint") throw new TypeMismatchError(getJsonTypeName(value), label);
    // Fast path for 32-bit integers.
    if (typeof value === "number" && (value | 0) === value) return value;
    const whole = typeof value === "bigint" || Number.isInteger(value);
    if (!whole || BigInt(value) >= limit || BigInt(value) < -limit) throw new TypeMismatchError(`number ${value}`, label);
    return value;
  };
}

const roundTripInteger32 = compileInteger(32);
const MIB = 1024 * 1024;
/** Normalized forms of recent quantities; a few values account for most of them. */
const normalizedQuantities = createStringCache<string>(2 * MIB);
const QUANTITY = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
/** A time that is already normalized; objects written in the same second mostly repeat it. */
let cachedTime: string | undefined;

const SCALAR_ROUND_TRIPS: Readonly<Record<Exclude<GoType["type"], "struct" | "list" | "map" | "integer">, GoRoundTrip>> = {
  string: (value) => (typeof value === "string" ? value : throwTypeMismatch(value, "string")),
  bool: (value) => (typeof value === "boolean" ? value : throwTypeMismatch(value, "bool")),
  double: (value) => (typeof value === "number" || typeof value === "bigint" ? value : throwTypeMismatch(value, "float64")),
  bytes(value) {
    if (typeof value !== "string") return throwTypeMismatch(value, "[]uint8");
    return normalizeBase64(value);
  },
  quantity(value) {
    const known = typeof value === "string" ? normalizedQuantities.get(value) : undefined;
    if (known !== undefined) return known;
    const stored = canonicalizeQuantity(value);
    if (stored === undefined) throw new DecodeError(`quantities must match the regular expression '${QUANTITY}'`);
    if (typeof value === "string") normalizedQuantities.set(value, stored);
    return stored;
  },
  intOrString: (value) => (typeof value === "string" ? value : roundTripInteger32(value, [])),
  time(value) {
    if (typeof value !== "string") return throwTypeMismatch(value, "string");
    if (value === cachedTime) return value;
    const stored = formatUnixSeconds(parseTime(value).seconds);
    if (stored !== value) return stored;
    cachedTime = value;
    return value;
  },
  microTime(value) {
    if (typeof value !== "string") return throwTypeMismatch(value, "string");
    const { seconds, nanos } = parseMicroTime(value);
    const micros = String(Math.trunc(nanos / 1000)).padStart(6, "0");
    return formatUnixSeconds(seconds).replace("Z", `.${micros}Z`);
  },
  raw: (value) => value,
};

function throwTypeMismatch(value: Json, type: string): never {
  throw new TypeMismatchError(getJsonTypeName(value), type);
}

function normalizeBase64(text: string): string {
  const bytes = text.replace(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/=]/.exec(bytes)?.index ?? (/=[^=]/.exec(bytes)?.index ?? -2) + 1;
  if (bad >= 0) throw new DecodeError(`illegal base64 data at input byte ${bad}`);
  if (bytes.length % 4 !== 0) throw new DecodeError(`illegal base64 data at input byte ${bytes.length - (bytes.length % 4)}`);
  return bytes;
}

/** Formats a type as Go prints it: "v1.PodSpec", "[]v1.Container", "map[string]string". */
function formatTypeName(type: GoType): string {
  switch (type.type) {
    case "struct":
      return getShortName(type.name);
    case "list":
      return `[]${formatTypeName(type.of)}`;
    case "map":
      return `map[string]${formatTypeName(type.of)}`;
    case "integer":
      return `int${type.bits}`;
    default:
      return GO_NAMES[type.type] ?? type.type;
  }
}

const GO_NAMES: Readonly<Record<string, string>> = {
  double: "float64",
  bytes: "[]uint8",
  quantity: "resource.Quantity",
  intOrString: "intstr.IntOrString",
  time: "v1.Time",
  microTime: "v1.MicroTime",
  raw: "runtime.RawExtension",
};

function getShortName(struct: string): string {
  return struct.split(".").slice(-2).join(".");
}
