import * as z from "zod";
import type { Json } from "../../kinds/index.ts";
import { type AnyZodType, withAttributes } from "./field-attributes.ts";

/** A schema of one of these Zod types. Cheaper for the compiler than the Zod classes. */
type ZodTypeOf<Type extends string> = AnyZodType & { readonly _zod: { readonly def: { readonly type: Type } } };

/**
 * A list, object or map that server-side apply owns and replaces as a whole (list type, map type or struct type `atomic`).
 *
 * @example
 * ```ts
 * import { atomic, z } from "pintle";
 *
 * const selector = atomic(z.record(z.string(), z.string()));
 * ```
 */
export function atomic<S extends ZodTypeOf<"array" | "object" | "record" | "union">>(schema: S): S {
  return withAttributes(schema, { atomic: true });
}

/**
 * An object or map that server-side apply merges field by field (map type `granular`). This is the default; the schema states it
 * explicitly.
 *
 * @example
 * ```ts
 * import { granular, z } from "pintle";
 *
 * const labels = granular(z.record(z.string(), z.string()));
 * ```
 */
export function granular<S extends ZodTypeOf<"object" | "record" | "union">>(schema: S): S {
  return withAttributes(schema, { atomic: false });
}

/**
 * An object or map with at least `count` properties.
 *
 * @example
 * ```ts
 * import { minProperties, z } from "pintle";
 *
 * const labels = minProperties(z.record(z.string(), z.string()), 1);
 * ```
 */
export function minProperties<S extends ZodTypeOf<"object" | "record">>(schema: S, count: number): S {
  return withAttributes(schema, { minProperties: count }, (value) =>
    countKeys(value) < count ? `has fewer than ${count} properties` : undefined,
  );
}

/**
 * An object or map with at most `count` properties.
 *
 * @example
 * ```ts
 * import { maxProperties, z } from "pintle";
 *
 * const labels = maxProperties(z.record(z.string(), z.string()), 16);
 * ```
 */
export function maxProperties<S extends ZodTypeOf<"object" | "record">>(schema: S, count: number): S {
  return withAttributes(schema, { maxProperties: count }, (value) =>
    countKeys(value) > count ? `has more than ${count} properties` : undefined,
  );
}

function countKeys(value: object): number {
  return Object.values(value).filter((one) => one !== undefined).length;
}

/**
 * The metadata of a template, such as a pod template: name, namespace, labels, annotations and finalizers, all optional.
 *
 * @example
 * ```ts
 * import { anyObject, objectMeta, z } from "pintle";
 *
 * const template = z.object({ metadata: objectMeta().optional(), spec: anyObject() });
 * ```
 */
export const objectMeta = () =>
  z.object({
    name: z.string().optional(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
    finalizers: z.array(z.string()).optional(),
  });

const embeddedObjectFields = () => ({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject(objectMeta().shape).optional() });
type EmbeddedObjectFields = ReturnType<typeof embeddedObjectFields>;

/**
 * A complete Kubernetes object as a field (`x-kubernetes-embedded-resource`). The API server validates its apiVersion, kind and metadata.
 * With a body, other fields are pruned; without one, all fields are preserved.
 *
 * @example
 * ```ts
 * import { embedded, z } from "pintle";
 *
 * const anyManifest = embedded();
 * const manifest = embedded(z.object({ spec: z.object({ size: z.int32() }) }));
 * ```
 */
export function embedded(): z.ZodObject<EmbeddedObjectFields, z.core.$loose>;
export function embedded<T extends z.ZodObject>(body: T): z.ZodObject<EmbeddedObjectFields & T["shape"], z.core.$strip>;
export function embedded(body?: z.ZodObject): z.ZodObject {
  return withAttributes(body ? body.safeExtend(embeddedObjectFields()) : z.looseObject(embeddedObjectFields()), { embedded: true });
}

/** Documentation of a field for `fieldDocs`. */
export interface FieldDocs {
  /** A short title. Default: none. */
  readonly title?: string | undefined;
  /** An example value. Default: none. */
  readonly example?: Json | undefined;
  /** A link to more documentation. Default: none. */
  readonly externalDocs?: { readonly url: string; readonly description?: string | undefined } | undefined;
}

/**
 * Adds a title, an example and a link to a field. Its description is Zod's `.describe()`.
 *
 * @example
 * ```ts
 * import { fieldDocs, z } from "pintle";
 *
 * const image = fieldDocs(z.string().describe("The container image."), { title: "Image", example: "memcached:1.6" });
 * ```
 */
export function fieldDocs<S extends AnyZodType>(schema: S, documentation: FieldDocs): S {
  return withAttributes(schema, JSON.parse(JSON.stringify(documentation)));
}
