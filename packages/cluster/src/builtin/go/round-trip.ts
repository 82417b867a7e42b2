import { extended, isObject, type Json, type JsonObject, setOwn } from "pintle/kinds";
import { normalQuantity } from "pintle/merge";
import { DecodeError, formatSeconds, jsonKind, Mismatch, parseTime } from "../../schema/index.ts";
import { parseMicroTime } from "./micro-time.ts";
import { declaredName } from "./names.ts";
import { type GoField, type GoType, goStruct } from "./structs.ts";
import { zeroOf, zeroStruct } from "./zero.ts";

/**
 * JSON into a Go value and back into JSON: what the server stores. Never gives undefined; whether a zero is written is
 * the business of the struct around it. Paths of unknown fields, relative to the value, are added to `unknown`.
 */
type RoundTrip = (value: Json, unknown: string[]) => Json;

const trips = new Map<string, RoundTrip>();

/** For a struct by name. A value that is in stored form already comes back as the same value. */
export function roundTrip(struct: string): RoundTrip {
  const known = trips.get(struct);
  if (known !== undefined) return known;
  let made: RoundTrip | undefined;
  // Made on first use: most structs below a kind are never seen, and some contain themselves.
  const trip: RoundTrip = (value, unknown) => {
    made ??= structTrip(struct);
    return made(value, unknown);
  };
  trips.set(struct, trip);
  return trip;
}

function structTrip(name: string): RoundTrip {
  const label = goName(name);
  const fields = new Map([...goStruct(name)].map(([json, field]) => [json, { ...field, trip: tripOf(field.type) }]));
  const always = Object.entries(zeroStruct(name) as JsonObject) as [string, Json][];
  return (value, unknown) => {
    if (value === null) return zeroStruct(name);
    if (!isObject(value)) throw new Mismatch(jsonKind(value), label);
    let copy: Record<string, Json | undefined> | undefined;
    for (const key in value) {
      const given = value[key]!;
      const field = fields.get(key);
      let stored: Json | undefined;
      if (field === undefined) unknown.push(key);
      else if (given === null && field.type.type !== "raw") stored = nullValue(field);
      else {
        const before = unknown.length;
        try {
          stored = keptValue(field.trip(given, unknown), field);
        } catch (error) {
          throw inField(error, name, key, field);
        }
        if (unknown.length > before) prefix(unknown, before, key);
      }
      if (stored === given) continue;
      copy ??= extended(value, {});
      if (stored === undefined) delete copy[key];
      else setOwn(copy, key, stored);
    }
    for (const [key, zero] of always) {
      if (Object.hasOwn(value, key)) continue;
      copy ??= extended(value, {});
      copy[key] = zero;
    }
    return copy ?? value;
  };
}

/** What null makes of a field: it is as if nobody had set it. */
function nullValue({ type, zero }: GoField): Json | undefined {
  return zero === "write" ? zeroOf(type) : zero === "null" ? null : undefined;
}

/** What is written of a field's value; undefined: nothing. */
function keptValue(value: Json, { type, zero }: GoField): Json | undefined {
  if (zero === "pointer" || zero === "null") return value;
  // JSON of any kind, and a number or a text, are what they are.
  if (type.type === "raw" || type.type === "intOrString") return value;
  // Who writes an empty list where Go writes null owns it: it becomes null only when it is stored.
  if (isEmpty(value)) return zero === "omit" ? undefined : type.type === "list" ? value : zeroOf(type);
  return zero === "omit" && type.type === "struct" && Object.keys(value as JsonObject).length === 0 ? undefined : value;
}

/** What omitempty leaves out. */
function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === "" || value === 0 || value === false || value === null;
}

function inField(error: unknown, struct: string, key: string, { type, via, owner }: GoField): unknown {
  if (!(error instanceof Mismatch)) return error;
  return error
    .named((wanted) => fieldTypeName(owner ?? struct, key, type, wanted))
    .within(struct.slice(struct.lastIndexOf(".") + 1), via === undefined ? key : `${via}.${key}`);
}

/** What Go calls the type of a field, or of the items in it: whichever of them did not fit. */
function fieldTypeName(struct: string, key: string, type: GoType, wanted: string): string {
  const declared = declaredName(struct, key);
  if (declared === undefined) return wanted;
  return wanted === typeName(type) ? declared : declared.replace(/^(\[\]|map\[[^\]]*\])/, "");
}

/** Paths added since `from` are relative to a child: put the child's own step before them. */
function prefix(unknown: string[], from: number, step: string): void {
  for (let i = from; i < unknown.length; i++) unknown[i] = unknown[i]!.startsWith("[") ? step + unknown[i] : `${step}.${unknown[i]}`;
}

function tripOf(type: GoType): RoundTrip {
  switch (type.type) {
    case "struct":
      return unionTrip(type.name) ?? roundTrip(type.name);
    case "list":
      return listTrip(type.of);
    case "map":
      return mapTrip(type.of);
    case "integer":
      return integerTrip(type.bits);
    default:
      return SCALARS[type.type];
  }
}

const SCHEMA = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/** Where JSON Schema allows a schema or something else, the struct of the table is not what JSON looks like. */
function unionTrip(struct: string): RoundTrip | undefined {
  const schema = roundTrip(SCHEMA);
  const orList = (of: GoType): RoundTrip => {
    const list = listTrip(of);
    return (value, unknown) => (Array.isArray(value) ? list(value, unknown) : schema(value, unknown));
  };
  switch (struct) {
    case `${SCHEMA}OrBool`:
      return (value, unknown) => (typeof value === "boolean" ? value : schema(value, unknown));
    case `${SCHEMA}OrArray`:
      return orList({ type: "struct", name: SCHEMA });
    case `${SCHEMA}OrStringArray`:
      return orList({ type: "string" });
    default:
      return undefined;
  }
}

function listTrip(of: GoType): RoundTrip {
  const trip = tripOf(of);
  const label = typeName({ type: "list", of });
  return (value, unknown) => {
    if (!Array.isArray(value)) throw new Mismatch(jsonKind(value), label);
    let copy: Json[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as Json;
      const before = unknown.length;
      const stored = item === null && of.type !== "raw" ? zeroOf(of) : trip(item, unknown);
      if (unknown.length > before) prefix(unknown, before, `[${index}]`);
      if (stored === item) continue;
      copy ??= [...value];
      copy[index] = stored;
    }
    return copy ?? value;
  };
}

function mapTrip(of: GoType): RoundTrip {
  const trip = tripOf(of);
  const none = of.type === "bytes" ? "" : zeroOf(of);
  const label = typeName({ type: "map", of });
  return (value, unknown) => {
    if (!isObject(value)) throw new Mismatch(jsonKind(value), label);
    let copy: Record<string, Json | undefined> | undefined;
    let size = 0;
    for (const key in value) {
      size++;
      const given = value[key]!;
      const before = unknown.length;
      const stored = given === null && of.type !== "raw" ? none : trip(given, unknown);
      if (unknown.length > before) prefix(unknown, before, key);
      if (stored === given) continue;
      copy ??= extended(value, {});
      setOwn(copy, key, stored);
    }
    return size === 0 ? null : (copy ?? value);
  };
}

function integerTrip(bits: 32 | 64): RoundTrip {
  const label = `int${bits}`;
  const limit = 2n ** BigInt(bits - 1);
  return (value) => {
    if (typeof value !== "number" && typeof value !== "bigint") throw new Mismatch(jsonKind(value), label);
    // Most numbers are small, and need no second look.
    if (typeof value === "number" && (value | 0) === value) return value;
    const whole = typeof value === "bigint" || Number.isInteger(value);
    if (!whole || BigInt(value) >= limit || BigInt(value) < -limit) throw new Mismatch(`number ${value}`, label);
    return value;
  };
}

const integer32 = integerTrip(32);
/** The same few quantities are written all the time. */
const normalQuantities = new Map<string, string>();
const MAX_QUANTITIES = 4096;
const QUANTITY = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
/** The last that was in its final form: what is written in one second mostly says that second. */
let lastTime: string | undefined;

const SCALARS: Readonly<Record<Exclude<GoType["type"], "struct" | "list" | "map" | "integer">, RoundTrip>> = {
  string: (value) => (typeof value === "string" ? value : mismatch(value, "string")),
  bool: (value) => (typeof value === "boolean" ? value : mismatch(value, "bool")),
  double: (value) => (typeof value === "number" || typeof value === "bigint" ? value : mismatch(value, "float64")),
  bytes(value) {
    if (typeof value !== "string") return mismatch(value, "[]uint8");
    return base64(value);
  },
  quantity(value) {
    const known = typeof value === "string" ? normalQuantities.get(value) : undefined;
    if (known !== undefined) return known;
    const stored = normalQuantity(value);
    if (stored === undefined) throw new DecodeError(`quantities must match the regular expression '${QUANTITY}'`);
    if (normalQuantities.size >= MAX_QUANTITIES) normalQuantities.clear();
    if (typeof value === "string") normalQuantities.set(value, stored);
    return stored;
  },
  intOrString: (value) => (typeof value === "string" ? value : integer32(value, [])),
  time(value) {
    if (typeof value !== "string") return mismatch(value, "string");
    if (value === lastTime) return value;
    const stored = formatSeconds(parseTime(value).seconds);
    if (stored !== value) return stored;
    lastTime = value;
    return value;
  },
  microTime(value) {
    if (typeof value !== "string") return mismatch(value, "string");
    const { seconds, nanos } = parseMicroTime(value);
    const micros = String(Math.trunc(nanos / 1000)).padStart(6, "0");
    return formatSeconds(seconds).replace("Z", `.${micros}Z`);
  },
  raw: (value) => value,
};

function mismatch(value: Json, type: string): never {
  throw new Mismatch(jsonKind(value), type);
}

function base64(text: string): string {
  const bytes = text.replace(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/=]/.exec(bytes)?.index ?? (/=[^=]/.exec(bytes)?.index ?? -2) + 1;
  if (bad >= 0) throw new DecodeError(`illegal base64 data at input byte ${bad}`);
  if (bytes.length % 4 !== 0) throw new DecodeError(`illegal base64 data at input byte ${bytes.length - (bytes.length % 4)}`);
  return bytes;
}

/** As Go prints a type: "v1.PodSpec", "[]v1.Container", "map[string]string". */
function typeName(type: GoType): string {
  switch (type.type) {
    case "struct":
      return goName(type.name);
    case "list":
      return `[]${typeName(type.of)}`;
    case "map":
      return `map[string]${typeName(type.of)}`;
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

function goName(struct: string): string {
  return struct.split(".").slice(-2).join(".");
}
