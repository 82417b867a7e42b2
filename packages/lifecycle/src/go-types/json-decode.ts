/**
 * Decodes a parsed JSON value into a Go type as `encoding/json` does: keys are matched without case, unknown keys are dropped, null leaves the
 * zero value, and a value of the wrong type is refused with its text.
 */
import { PintleError } from "pintle/internal/errors";

/** A Go type: only what the blobs of catalogs need. */
export type GoType =
  | "string"
  | "bool"
  | "int"
  | "uint8"
  /** Base64 in JSON. */
  | "bytes"
  /** Any value, kept as it is. */
  | "any"
  | { readonly list: GoType }
  | { readonly map: GoType }
  | { readonly struct: string; readonly fields: Readonly<Record<string, GoType>> };

interface Place {
  readonly struct: string;
  readonly path: string;
}

/** Decodes `value`; throws `PintleError` with Go's text. Absent fields of the result are undefined. */
export function decodeGo(value: unknown, type: GoType, place?: Place): unknown {
  if (type === "any") return value;
  if (value === null || value === undefined) return undefined;
  const mismatch = () => typeMismatch(value, type, place);
  if (type === "string" || type === "bool") {
    if (typeof value !== (type === "bool" ? "boolean" : "string")) throw mismatch();
    return value;
  }
  if (type === "int" || type === "uint8") {
    if (typeof value !== "number" || !Number.isInteger(value) || (type === "uint8" && (value < 0 || value > 255))) throw mismatch();
    return value;
  }
  if (type === "bytes") {
    // Bytes are a list of numbers too.
    if (Array.isArray(value)) return Buffer.from(value.map((item) => Number(decodeGo(item, "uint8", place) ?? 0)));
    if (typeof value !== "string") throw mismatch();
    return decodeBase64(value);
  }
  if ("list" in type) {
    if (!Array.isArray(value)) throw mismatch();
    return value.map((item) => decodeGo(item, type.list, place) ?? zeroOf(type.list));
  }
  if (typeof value !== "object" || Array.isArray(value)) throw mismatch();
  if ("map" in type) {
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, decodeGo(field, type.map, place)]));
  }
  return decodeStruct(value as Readonly<Record<string, unknown>>, type, place);
}

function decodeStruct(
  value: Readonly<Record<string, unknown>>,
  { struct, fields }: Extract<GoType, { readonly struct: string }>,
  place: Place | undefined,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const byFolded = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]));
  // Sorted, because operator-registry writes blobs with sorted keys before it decodes them, and the first error wins.
  for (const key of Object.keys(value).sort()) {
    const name = Object.hasOwn(fields, key) ? key : byFolded.get(key.toLowerCase());
    if (name === undefined) continue;
    const path = place === undefined ? name : `${place.path}.${name}`;
    const field = decodeGo(value[key], fields[name]!, { struct: struct.slice(struct.indexOf(".") + 1), path });
    if (field !== undefined) result[name] = field;
  }
  return result;
}

/** What an element of a list is that is null. */
function zeroOf(type: GoType): unknown {
  if (type === "string") return "";
  return typeof type === "object" && "struct" in type ? {} : undefined;
}

function decodeBase64(text: string): Buffer {
  const clean = text.replaceAll(/[\r\n]/g, "");
  const invalid = clean.search(/[^A-Za-z0-9+/=]/);
  const bytes = Buffer.from(clean, "base64");
  if (invalid !== -1 || bytes.toString("base64") !== clean) {
    throw new PintleError(
      "PINTLE8010",
      `illegal base64 data at input byte ${invalid === -1 ? clean.length - (clean.length % 4) : invalid}`,
    );
  }
  return bytes;
}

function typeMismatch(value: unknown, type: GoType, place: Place | undefined): PintleError {
  const where = place === undefined ? "Go value" : `Go struct field ${place.struct}.${place.path}`;
  return new PintleError("PINTLE8010", `json: cannot unmarshal ${kindOf(value, type)} into ${where} of type ${nameOf(type)}`);
}

function kindOf(value: unknown, type: GoType): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || typeof value === "bigint") return type === "int" || type === "uint8" ? `number ${value}` : "number";
  return typeof value;
}

function nameOf(type: GoType): string {
  if (type === "bytes") return "[]uint8";
  if (type === "any") return "json.RawMessage";
  if (typeof type === "string") return type;
  if ("list" in type) return `[]${nameOf(type.list)}`;
  return "map" in type ? `map[string]${nameOf(type.map)}` : type.struct;
}
