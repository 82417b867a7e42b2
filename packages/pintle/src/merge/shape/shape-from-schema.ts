import { isJsonObject } from "../../json/index.ts";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { memoize } from "../../memoize/index.ts";
import { OBJECT_ROOT_FIELDS } from "./object-meta.ts";

/** Returns a schema by name ("io.k8s.api.core.v1.PodSpec", the last segment of a `$ref`). */
export type ResolveSchema = (name: string) => JsonObject | undefined;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Types that the API server handles specially, independent of their published schema. */
const WELL_KNOWN_TYPES: readonly (readonly [suffix: string, shape: Shape])[] = [
  [".api.resource.Quantity", { scalar: "quantity" }],
  [".meta.v1.Time", { scalar: "time" }],
  [".meta.v1.MicroTime", { scalar: "microTime" }],
  [".util.intstr.IntOrString", { scalar: "intOrString" }],
  [".runtime.RawExtension", { untyped: true, atomic: true }],
];
const SCALAR_SHAPES: { readonly [type: string]: Shape } = {
  integer: { scalar: "number" },
  number: { scalar: "number" },
  boolean: { scalar: "boolean" },
  string: { scalar: "string" },
};
const ANY_SCALAR: Shape = {};

const resolveNothing: ResolveSchema = () => undefined;
const readerFor = memoize((resolve: ResolveSchema) => new SchemaReader(resolve));

/**
 * Returns how values of a structural or OpenAPI v3 schema merge, as the API server's apply reads the schema. The same schema object gives
 * the same Shape, so recursive schemas give recursive shapes.
 */
export function shapeFromSchema(schema: JsonObject, resolve: ResolveSchema = resolveNothing): Shape {
  return readerFor(resolve).read(schema);
}

/** As `shapeFromSchema`, for the root of an object: adds `apiVersion`, `kind` and `metadata` if the schema lacks them. */
export function resourceShapeFromSchema(schema: JsonObject, resolve: ResolveSchema = resolveNothing): Shape {
  const shape = readerFor(resolve).read(schema);
  return { ...shape, fields: { ...shape.fields, ...OBJECT_ROOT_FIELDS } };
}

class SchemaReader {
  readonly #resolve: ResolveSchema;
  /** Shapes by schema. Below a parent that preserves unknown fields the same schema has another shape. */
  readonly #closed = new WeakMap<JsonObject, Shape>();
  readonly #open = new WeakMap<JsonObject, Shape>();
  /** Functions that complete copies of shapes which were incomplete when they were copied. */
  #unfinished: (() => void)[] = [];
  #depth = 0;

  constructor(resolve: ResolveSchema) {
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
    const name = referenceName(schema);
    if (name === undefined) return undefined;
    const known = WELL_KNOWN_TYPES.find(([suffix]) => name.endsWith(suffix));
    if (known !== undefined) return known[1];
    const target = this.#resolve(name);
    if (target === undefined) return UNTYPED_SHAPE;
    const shape = this.read(target);
    const mapType = schema["x-kubernetes-map-type"];
    const more = { ...patchStrategyOf(schema), ...(mapType === undefined ? {} : { atomic: mapType === "atomic" }) };
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
        Object.assign(shape, scalarShape(schema));
    }
    return shape;
  }

  #map(schema: JsonObject, preserve: boolean, shape: Mutable<Shape>): void {
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : undefined;
    const more = schema["additionalProperties"];
    const embedded = schema["x-kubernetes-embedded-resource"] === true;
    if (properties !== undefined || embedded || more === false) {
      const fields: Record<string, Shape> = {};
      for (const [name, property] of Object.entries(properties ?? {}))
        if (isJsonObject(property)) fields[name] = this.read(property, preserve);
      shape.fields = embedded ? { ...fields, ...OBJECT_ROOT_FIELDS } : fields;
    }
    if (isJsonObject(more)) shape.values = this.read(more, preserve);
    else if (more === true || (more === undefined && (preserve || shape.fields === undefined))) shape.values = UNTYPED_SHAPE;
    if (schema["x-kubernetes-map-type"] === "atomic") shape.atomic = true;
    Object.assign(shape, patchStrategyOf(schema));
  }

  #list(schema: JsonObject, preserve: boolean, shape: Mutable<Shape>): void {
    const items = isJsonObject(schema["items"]) ? schema["items"] : undefined;
    shape.items = items === undefined ? UNTYPED_SHAPE : this.read(items, preserve);
    Object.assign(shape, patchStrategyOf(schema), this.#relation(schema, items));
  }

  #relation(schema: JsonObject, items: JsonObject | undefined): Pick<Shape, "list" | "keys" | "keyDefaults"> {
    const type = schema["x-kubernetes-list-type"];
    const { mergeKey, strategy } = patchStrategyOf(schema).patch ?? {};
    // Older API servers publish only the patch strategy; their apply derives the list type from it.
    const merged = type === undefined && strategy?.includes("merge") === true;
    if (type === "set" || (merged && mergeKey === undefined)) return { list: "set" };
    if (type !== "map" && !merged) return { list: "atomic" };
    const keys = type === "map" ? stringItems(schema["x-kubernetes-list-map-keys"]).sort() : [mergeKey!];
    const defaults = this.#defaults(items, keys);
    return { list: "map", keys, ...(defaults.length === 0 ? {} : { keyDefaults: Object.fromEntries(defaults) }) };
  }

  #defaults(items: JsonObject | undefined, keys: readonly string[]): (readonly [string, Json])[] {
    let item = items;
    for (let name = item && referenceName(item); item !== undefined && name !== undefined; name = item && referenceName(item)) {
      item = this.#resolve(name);
    }
    const properties = isJsonObject(item?.["properties"]) ? item["properties"] : {};
    return keys.flatMap((key) => {
      const property = properties[key];
      const value = isJsonObject(property) ? property["default"] : undefined;
      return value === undefined || value === null ? [] : [[key, value] as const];
    });
  }
}

function referenceName(schema: JsonObject): string | undefined {
  const all = schema["allOf"];
  const inner = Array.isArray(all) && all.length === 1 ? (all[0] as Json) : undefined;
  const ref = schema["$ref"] ?? (isJsonObject(inner) ? inner["$ref"] : undefined);
  return typeof ref === "string" ? ref.slice(ref.lastIndexOf("/") + 1) : undefined;
}

function scalarShape(schema: JsonObject): Shape {
  const { type, format } = schema;
  if (type === "string" && format === "date-time") return { scalar: "time" };
  // A string with a custom format may be any scalar.
  if (type === "string" && format !== undefined && format !== "" && format !== "byte") return ANY_SCALAR;
  return SCALAR_SHAPES[String(type)] ?? ANY_SCALAR;
}

function patchStrategyOf(schema: JsonObject): { patch?: NonNullable<Shape["patch"]> } {
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (typeof strategy !== "string") return {};
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  return { patch: { strategy: strategy.split(","), ...(typeof mergeKey === "string" ? { mergeKey } : {}) } };
}

function stringItems(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
