import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { edit, editItems } from "../edit.ts";
import { jsonKind, Mismatch } from "./decode-error.ts";
import { formatSeconds, parseTime } from "./go-time.ts";

/**
 * Reads a JSON value into a Go type and writes it back: what comes out is what the server would store. `undefined`
 * means Go's zero value, which a field tagged omitempty leaves out. Paths of unknown fields, relative to the value,
 * are added to `unknown`. A value of the wrong type throws a Mismatch. A value already in stored form comes back as is.
 */
export interface GoType {
  /** As Go prints it: "string", "v1.ObjectMeta", "map[string]string". */
  readonly name: string;
  decode(value: Json, unknown: string[]): Json | undefined;
}

export const goString: GoType = {
  name: "string",
  decode(value) {
    if (typeof value === "string") return value === "" ? undefined : value;
    return zeroOrMismatch(value, this.name);
  },
};

/** A named string type, `types.UID`. */
export function stringType(name: string): GoType {
  return { ...goString, name };
}

export const goBool: GoType = {
  name: "bool",
  decode(value) {
    return typeof value === "boolean" ? value : zeroOrMismatch(value, this.name);
  },
};

const limits = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
} as const;

export function integerType(name: "int32" | "int64"): GoType {
  const [min, max] = limits[name];
  const fits = (value: number | bigint) =>
    typeof value === "number" ? Number.isInteger(value) && value >= Number(min) && value <= Number(max) : value >= min && value <= max;
  return {
    name,
    decode(value) {
      if (typeof value !== "number" && typeof value !== "bigint") return zeroOrMismatch(value, name);
      if (!fits(value)) throw new Mismatch(`number ${value}`, name);
      return value;
    },
  };
}

/** Whatever it is, it stays. */
export const goAny: GoType = { name: "interface {}", decode: (value) => value };

export const goTime: GoType = {
  name: "v1.Time",
  decode(value) {
    if (value === null) return undefined;
    if (typeof value !== "string") throw new Mismatch(jsonKind(value), "string");
    const stored = formatSeconds(parseTime(value).seconds);
    return stored === value ? value : stored;
  },
};

export function listType(item: GoType, name = `[]${item.name}`, zero: Json = ""): GoType {
  return {
    name,
    decode(value, unknown) {
      if (!Array.isArray(value)) return zeroOrMismatch(value, name);
      if (value.length === 0) return undefined;
      return editItems(value, (entry, i) => {
        const before = unknown.length;
        const decoded = item.decode(entry, unknown) ?? zero;
        prefix(unknown, before, `[${i}]`);
        return decoded;
      });
    },
  };
}

export function mapType(item: GoType, zero: Json = ""): GoType {
  const name = `map[string]${item.name}`;
  return {
    name,
    decode(value, unknown) {
      if (!isObject(value)) return zeroOrMismatch(value, name);
      let copy: ReturnType<typeof edit> | undefined;
      let size = 0;
      for (const key in value) {
        const field = value[key]!;
        const before = unknown.length;
        const decoded = item.decode(field, unknown) ?? zero;
        prefix(unknown, before, key);
        size++;
        if (decoded !== field) copy = edit(value, copy, key, decoded);
      }
      return size === 0 ? undefined : ((copy as JsonObject | undefined) ?? value);
    },
  };
}

export interface GoField {
  readonly type: GoType;
  /** Written even when zero, as this value. */
  readonly zero?: Json | undefined;
  /** A pointer: its zero value is kept when given. */
  readonly pointer?: boolean | undefined;
}

/** `name` is the bare struct name, `ObjectMeta`; errors about its fields use it. */
export function structType(name: string, fields: Readonly<Record<string, GoField>>, typeName = `v1.${name}`): GoType {
  const known = new Map(Object.entries(fields));
  const always = Object.entries(fields).filter(([, field]) => field.zero !== undefined);
  return {
    name: typeName,
    decode(value, unknown) {
      if (!isObject(value)) return zeroOrMismatch(value, typeName);
      let copy: ReturnType<typeof edit> | undefined;
      for (const key in value) {
        const given = value[key]!;
        const field = known.get(key);
        const before = unknown.length;
        if (field === undefined) unknown.push(key);
        const stored = field === undefined ? undefined : decodeField(name, key, field, given, unknown);
        if (field !== undefined) prefix(unknown, before, key);
        if (stored !== given) copy = edit(value, copy, key, stored);
      }
      for (const [key, { zero }] of always) {
        if (!Object.hasOwn(value, key)) copy = edit(value, copy, key, zero);
      }
      return (copy as JsonObject | undefined) ?? value;
    },
  };
}

function decodeField(struct: string, key: string, field: GoField, given: Json, unknown: string[]): Json | undefined {
  try {
    const stored = field.type.decode(given, unknown);
    if (stored === 0 && !field.pointer) return field.zero;
    return stored ?? field.zero;
  } catch (error) {
    throw error instanceof Mismatch ? error.within(struct, key) : error;
  }
}

function zeroOrMismatch(value: Json, type: string): undefined {
  if (value === null) return undefined;
  throw new Mismatch(jsonKind(value), type);
}

/** Paths added since `from` are relative to a child: put the child's own step before them. */
function prefix(unknown: string[], from: number, step: string): void {
  for (let i = from; i < unknown.length; i++) unknown[i] = unknown[i]!.startsWith("[") ? step + unknown[i] : `${step}.${unknown[i]}`;
}
