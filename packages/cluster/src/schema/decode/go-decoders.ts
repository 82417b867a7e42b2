import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { mapItems, setField } from "../structural/copy-on-write.ts";
import { getJsonTypeName, TypeMismatchError } from "./decode-error.ts";
import { formatUnixSeconds, parseTime } from "./go-time.ts";

/**
 * Decodes a JSON value into a Go type and encodes it again, which yields the value that kube-apiserver stores.
 * `undefined` stands for Go's zero value, which a field tagged omitempty leaves out. Paths of unknown fields, relative
 * to the value, are added to `unknown`. Throws `TypeMismatchError` if the value has the wrong type. A value already in
 * stored form is returned unchanged.
 */
export interface GoDecoder {
  /** Go type name: "string", "v1.ObjectMeta", "map[string]string". */
  readonly name: string;
  decode(value: Json, unknown: string[]): Json | undefined;
}

export const stringDecoder: GoDecoder = {
  name: "string",
  decode(value) {
    if (typeof value === "string") return value === "" ? undefined : value;
    return decodeNull(value, this.name);
  },
};

/** Creates the decoder of a named string type such as `types.UID`. */
export function createStringDecoder(name: string): GoDecoder {
  return { ...stringDecoder, name };
}

export const boolDecoder: GoDecoder = {
  name: "bool",
  decode(value) {
    return typeof value === "boolean" ? value : decodeNull(value, this.name);
  },
};

const limits = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
} as const;

export function createIntegerDecoder(name: "int32" | "int64"): GoDecoder {
  const [min, max] = limits[name];
  const fits = (value: number | bigint) =>
    typeof value === "number" ? Number.isInteger(value) && value >= Number(min) && value <= Number(max) : value >= min && value <= max;
  return {
    name,
    decode(value) {
      if (typeof value !== "number" && typeof value !== "bigint") return decodeNull(value, name);
      if (!fits(value)) throw new TypeMismatchError(`number ${value}`, name);
      return value;
    },
  };
}

/** Accepts any JSON value unchanged. */
export const anyDecoder: GoDecoder = { name: "interface {}", decode: (value) => value };

export const timeDecoder: GoDecoder = {
  name: "v1.Time",
  decode(value) {
    if (value === null) return undefined;
    if (typeof value !== "string") throw new TypeMismatchError(getJsonTypeName(value), "string");
    const stored = formatUnixSeconds(parseTime(value).seconds);
    return stored === value ? value : stored;
  },
};

export function createListDecoder(item: GoDecoder, name = `[]${item.name}`, zero: Json = ""): GoDecoder {
  return {
    name,
    decode(value, unknown) {
      if (!Array.isArray(value)) return decodeNull(value, name);
      if (value.length === 0) return undefined;
      return mapItems(value, (entry, i) => {
        const before = unknown.length;
        const decoded = item.decode(entry, unknown) ?? zero;
        prefixUnknownPaths(unknown, before, `[${i}]`);
        return decoded;
      });
    },
  };
}

export function createMapDecoder(item: GoDecoder, zero: Json = ""): GoDecoder {
  const name = `map[string]${item.name}`;
  return {
    name,
    decode(value, unknown) {
      if (!isJsonObject(value)) return decodeNull(value, name);
      let copy: ReturnType<typeof setField> | undefined;
      let size = 0;
      for (const key in value) {
        const field = value[key]!;
        const before = unknown.length;
        const decoded = item.decode(field, unknown) ?? zero;
        prefixUnknownPaths(unknown, before, key);
        size++;
        if (decoded !== field) copy = setField(value, copy, key, decoded);
      }
      return size === 0 ? undefined : ((copy as JsonObject | undefined) ?? value);
    },
  };
}

export interface GoFieldDecoder {
  readonly decoder: GoDecoder;
  /** JSON of the zero value, for fields without omitempty. */
  readonly zero?: Json | undefined;
  /** True for pointer fields, which keep an explicit zero value. */
  readonly isPointer?: boolean | undefined;
}

/** Creates the decoder of a struct. `name` is the bare struct name, `ObjectMeta`, that errors in its fields use. */
export function createStructDecoder(name: string, fields: Readonly<Record<string, GoFieldDecoder>>, typeName = `v1.${name}`): GoDecoder {
  const known = new Map(Object.entries(fields));
  const always = Object.entries(fields).filter(([, field]) => field.zero !== undefined);
  return {
    name: typeName,
    decode(value, unknown) {
      if (!isJsonObject(value)) return decodeNull(value, typeName);
      let copy: ReturnType<typeof setField> | undefined;
      for (const key in value) {
        const original = value[key]!;
        const field = known.get(key);
        const before = unknown.length;
        if (field === undefined) unknown.push(key);
        const stored = field === undefined ? undefined : decodeField(name, key, field, original, unknown);
        if (field !== undefined) prefixUnknownPaths(unknown, before, key);
        if (stored !== original) copy = setField(value, copy, key, stored);
      }
      for (const [key, { zero }] of always) {
        if (!Object.hasOwn(value, key)) copy = setField(value, copy, key, zero);
      }
      return (copy as JsonObject | undefined) ?? value;
    },
  };
}

function decodeField(struct: string, key: string, field: GoFieldDecoder, original: Json, unknown: string[]): Json | undefined {
  try {
    const stored = field.decoder.decode(original, unknown);
    if (stored === 0 && !field.isPointer) return field.zero;
    return stored ?? field.zero;
  } catch (error) {
    throw error instanceof TypeMismatchError ? error.addField(struct, key) : error;
  }
}

function decodeNull(value: Json, type: string): undefined {
  if (value === null) return undefined;
  throw new TypeMismatchError(getJsonTypeName(value), type);
}

/** Prefixes the paths added since index `from`, which are relative to a child, with the name of the child. */
function prefixUnknownPaths(unknown: string[], from: number, step: string): void {
  for (let i = from; i < unknown.length; i++) unknown[i] = unknown[i]!.startsWith("[") ? step + unknown[i] : `${step}.${unknown[i]}`;
}
