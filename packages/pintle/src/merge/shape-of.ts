import { isObject, type Json, type JsonObject, type Shape, UNTYPED } from "../kinds/index.ts";
import { RESOURCE_FIELDS } from "./object-meta.ts";

/** Finds a named schema ("io.k8s.api.core.v1.PodSpec", the last part of a `$ref`). */
export type Resolve = (name: string) => JsonObject | undefined;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Types the server gives a meaning of its own, whatever their published schema says. */
const KNOWN: readonly (readonly [suffix: string, shape: Shape])[] = [
  [".api.resource.Quantity", { scalar: "quantity" }],
  [".meta.v1.Time", { scalar: "time" }],
  [".meta.v1.MicroTime", { scalar: "microTime" }],
  [".util.intstr.IntOrString", { scalar: "intOrString" }],
  [".runtime.RawExtension", { untyped: true, atomic: true }],
];
const SCALARS: { readonly [type: string]: Shape } = {
  integer: { scalar: "number" },
  number: { scalar: "number" },
  boolean: { scalar: "boolean" },
  string: { scalar: "string" },
};
const ANY_SCALAR: Shape = {};

const noRefs: Resolve = () => undefined;
const readers = new WeakMap<Resolve, Reader>();

/**
 * What a structural or OpenAPI v3 schema says about merging, as the server's own apply reads it. Equal schema objects
 * give the same Shape, so schemas that refer to themselves give shapes that do.
 */
export function shapeOf(schema: JsonObject, resolve: Resolve = noRefs): Shape {
  return reader(resolve).read(schema);
}

/** As shapeOf, for the root of an object: `apiVersion`, `kind` and `metadata` are there even where the schema leaves them out. */
export function resourceShape(schema: JsonObject, resolve: Resolve = noRefs): Shape {
  const shape = reader(resolve).read(schema);
  return { ...shape, fields: { ...shape.fields, ...RESOURCE_FIELDS } };
}

function reader(resolve: Resolve): Reader {
  const known = readers.get(resolve) ?? new Reader(resolve);
  readers.set(resolve, known);
  return known;
}

class Reader {
  readonly #resolve: Resolve;
  /** By schema; below a preserve-unknown parent the same schema means something else. */
  readonly #closed = new WeakMap<JsonObject, Shape>();
  readonly #open = new WeakMap<JsonObject, Shape>();
  /** Copies of shapes that may still be in the making. */
  #unfinished: (() => void)[] = [];
  #depth = 0;

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  read(schema: JsonObject, preserve = false): Shape {
    this.#depth++;
    const shape = this.#reference(schema) ?? this.#inline(schema, preserve || schema["x-kubernetes-preserve-unknown-fields"] === true);
    if (--this.#depth === 0) {
      for (const finish of this.#unfinished) finish();
      this.#unfinished = [];
    }
    return shape;
  }

  #reference(schema: JsonObject): Shape | undefined {
    const name = referenceOf(schema);
    if (name === undefined) return undefined;
    const known = KNOWN.find(([suffix]) => name.endsWith(suffix));
    if (known !== undefined) return known[1];
    const target = this.#resolve(name);
    if (target === undefined) return UNTYPED;
    const shape = this.read(target);
    const mapType = schema["x-kubernetes-map-type"];
    const more = { ...patchOf(schema), ...(mapType === undefined ? {} : { atomic: mapType === "atomic" }) };
    if (Object.keys(more).length === 0) return shape;
    const copy: Mutable<Shape> = {};
    this.#unfinished.push(() => Object.assign(copy, shape, more));
    return copy;
  }

  #inline(schema: JsonObject, preserve: boolean): Shape {
    const memo = preserve ? this.#open : this.#closed;
    const known = memo.get(schema);
    if (known !== undefined) return known;
    if (schema["x-kubernetes-int-or-string"] === true || schema["format"] === "int-or-string") return { scalar: "intOrString" };
    const shape: Mutable<Shape> = {};
    memo.set(schema, shape);
    switch (schema["type"]) {
      case "object":
        this.#map(schema, preserve, shape);
        break;
      case "array":
        this.#list(schema, preserve, shape);
        break;
      case undefined:
      case "":
        shape.untyped = true;
        if (schema["properties"] !== undefined || schema["additionalProperties"] !== undefined) this.#map(schema, preserve, shape);
        if (schema["items"] !== undefined) this.#list(schema, preserve, shape);
        break;
      default:
        Object.assign(shape, scalarOf(schema));
    }
    return shape;
  }

  #map(schema: JsonObject, preserve: boolean, shape: Mutable<Shape>): void {
    const properties = isObject(schema["properties"]) ? schema["properties"] : undefined;
    const more = schema["additionalProperties"];
    const embedded = schema["x-kubernetes-embedded-resource"] === true;
    if (properties !== undefined || embedded || more === false) {
      const fields: Record<string, Shape> = {};
      for (const [name, property] of Object.entries(properties ?? {})) if (isObject(property)) fields[name] = this.read(property, preserve);
      shape.fields = embedded ? { ...fields, ...RESOURCE_FIELDS } : fields;
    }
    if (isObject(more)) shape.values = this.read(more, preserve);
    else if (more === true || (more === undefined && (preserve || shape.fields === undefined))) shape.values = UNTYPED;
    if (schema["x-kubernetes-map-type"] === "atomic") shape.atomic = true;
    Object.assign(shape, patchOf(schema));
  }

  #list(schema: JsonObject, preserve: boolean, shape: Mutable<Shape>): void {
    const items = isObject(schema["items"]) ? schema["items"] : undefined;
    shape.items = items === undefined ? UNTYPED : this.read(items, preserve);
    Object.assign(shape, patchOf(schema), this.#relation(schema, items));
  }

  #relation(schema: JsonObject, items: JsonObject | undefined): Pick<Shape, "list" | "keys" | "keyDefaults"> {
    const type = schema["x-kubernetes-list-type"];
    const { mergeKey, strategy } = patchOf(schema).patch ?? {};
    // Lists of older servers say only how they are patched; their apply reads the same into it.
    const merged = type === undefined && strategy?.includes("merge") === true;
    if (type === "set" || (merged && mergeKey === undefined)) return { list: "set" };
    if (type !== "map" && !merged) return { list: "atomic" };
    const keys = type === "map" ? strings(schema["x-kubernetes-list-map-keys"]).sort() : [mergeKey!];
    const defaults = this.#defaults(items, keys);
    return { list: "map", keys, ...(defaults.length === 0 ? {} : { keyDefaults: Object.fromEntries(defaults) }) };
  }

  #defaults(items: JsonObject | undefined, keys: readonly string[]): (readonly [string, Json])[] {
    let item = items;
    for (let name = item && referenceOf(item); item !== undefined && name !== undefined; name = item && referenceOf(item)) {
      item = this.#resolve(name);
    }
    const properties = isObject(item?.["properties"]) ? item["properties"] : {};
    return keys.flatMap((key) => {
      const property = properties[key];
      const value = isObject(property) ? property["default"] : undefined;
      return value === undefined || value === null ? [] : [[key, value] as const];
    });
  }
}

function referenceOf(schema: JsonObject): string | undefined {
  const all = schema["allOf"];
  const inner = Array.isArray(all) && all.length === 1 ? (all[0] as Json) : undefined;
  const ref = schema["$ref"] ?? (isObject(inner) ? inner["$ref"] : undefined);
  return typeof ref === "string" ? ref.slice(ref.lastIndexOf("/") + 1) : undefined;
}

function scalarOf(schema: JsonObject): Shape {
  const { type, format } = schema;
  if (type === "string" && format === "date-time") return { scalar: "time" };
  // A string with a format of its own may come as any scalar.
  if (type === "string" && format !== undefined && format !== "" && format !== "byte") return ANY_SCALAR;
  return SCALARS[String(type)] ?? ANY_SCALAR;
}

function patchOf(schema: JsonObject): { patch?: NonNullable<Shape["patch"]> } {
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (typeof strategy !== "string") return {};
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  return { patch: { strategy: strategy.split(","), ...(typeof mergeKey === "string" ? { mergeKey } : {}) } };
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
