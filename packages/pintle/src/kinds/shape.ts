import type { Json } from "./json.ts";

/**
 * What a schema says about merging and comparing, and nothing else: list keys, atomic parts, quantities, times.
 * One form for built-in kinds (generated from a server's OpenAPI), for our own resources (from Zod) and for any
 * structural schema, so that the plan, simulate() and the embedded cluster's apply agree by construction.
 * Shapes may be cyclic (JSONSchemaProps is), so they are linked objects, never serialised.
 */
export interface Shape {
  /** Scalars: their type, where it is declared; some can be written in several ways for one value. A shape that says nothing is any scalar. */
  readonly scalar?: "string" | "number" | "boolean" | "quantity" | "time" | "microTime" | "duration" | "intOrString" | undefined;
  /** Struct: its known fields. */
  readonly fields?: { readonly [name: string]: Shape } | undefined;
  /** Map: the shape of every value. With `fields`: of every other value. */
  readonly values?: Shape | undefined;
  /** List: the shape of an item. */
  readonly items?: Shape | undefined;
  /** Lists: how they merge. Unset means atomic, except where `untyped`. */
  readonly list?: "atomic" | "set" | "map" | undefined;
  /** Keys of a `map` list, sorted, and the defaults of keys that may be left out (`protocol: TCP`). */
  readonly keys?: readonly string[] | undefined;
  readonly keyDefaults?: { readonly [key: string]: Json } | undefined;
  /** A struct or map that is owned and replaced as a whole. */
  readonly atomic?: boolean | undefined;
  /** Nothing is declared here (preserve-unknown): maps are granular, lists atomic, as the server deduces. */
  readonly untyped?: boolean | undefined;
  /** Strategic merge patch, which does not follow `list` and `keys` (built-in kinds only). */
  readonly patch?: { readonly mergeKey?: string | undefined; readonly strategy?: readonly string[] | undefined } | undefined;
}

/** Knows nothing: every map is granular, every list atomic. */
export const UNTYPED: Shape = { untyped: true };
