import type { Json } from "../json/index.ts";

/**
 * The part of a schema that merging and comparing need: list keys, atomic fields, quantities, times. One form for built-in kinds (generated
 * from OpenAPI), resources (from Zod) and structural schemas, so that the plan, `simulate()` and the server-side apply of the embedded
 * cluster agree. Shapes may be cyclic (JSONSchemaProps is), so they are linked objects and never serialized.
 */
export interface Shape {
  /** Scalar: its type. Some types have several texts for one value. An empty shape is any scalar. */
  readonly scalar?: "string" | "number" | "boolean" | "quantity" | "time" | "microTime" | "duration" | "intOrString" | undefined;
  /** Struct: its known fields. */
  readonly fields?: { readonly [name: string]: Shape } | undefined;
  /** Map: the shape of its values. With `fields`: of the other values. */
  readonly values?: Shape | undefined;
  /** List: the shape of an item. */
  readonly items?: Shape | undefined;
  /** List: how it is merged. Default: atomic, except for `untyped`. */
  readonly list?: "atomic" | "set" | "map" | undefined;
  /** The sorted keys of a `map` list. */
  readonly keys?: readonly string[] | undefined;
  /** Defaults of keys that may be omitted (`protocol: TCP`). */
  readonly keyDefaults?: { readonly [key: string]: Json } | undefined;
  /** Struct or map: owned and replaced as a whole. Default: false. */
  readonly atomic?: boolean | undefined;
  /** Without a schema (x-kubernetes-preserve-unknown-fields): maps are granular, lists atomic. Default: false. */
  readonly untyped?: boolean | undefined;
  /** Merge key and strategies of strategic merge patch (built-in kinds only). */
  readonly patch?: { readonly mergeKey?: string | undefined; readonly strategy?: readonly string[] | undefined } | undefined;
}

/**
 * The shape of a value without a schema: maps are granular, lists atomic.
 *
 * @example
 * ```ts
 * import { type Shape, UNTYPED_SHAPE } from "pintle/kinds";
 *
 * export const shape: Shape = { fields: { spec: UNTYPED_SHAPE } };
 * ```
 */
export const UNTYPED_SHAPE: Shape = { untyped: true };
