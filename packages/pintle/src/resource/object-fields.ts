import * as z from "zod";
import type { Json } from "../kinds/index.ts";
import { type Any, mark } from "./facts.ts";

/** A schema of one of these Zod types; says less than the Zod classes, so it is cheap to compare with. */
type Typed<Type extends string> = Any & { readonly _zod: { readonly def: { readonly type: Type } } };

/** Owned and replaced as a whole by server-side apply: list-type, map-type or struct-type atomic. */
export function atomic<S extends Typed<"array" | "object" | "record" | "union">>(schema: S): S {
  return mark(schema, { atomic: true });
}

/** Merged field by field, which is the default, said aloud. */
export function granular<S extends Typed<"object" | "record" | "union">>(schema: S): S {
  return mark(schema, { atomic: false });
}

/** At least so many keys. */
export function minProperties<S extends Typed<"object" | "record">>(schema: S, count: number): S {
  return mark(schema, { minProperties: count }, (value) => (size(value) < count ? `has fewer than ${count} keys` : undefined));
}

/** At most so many keys. */
export function maxProperties<S extends Typed<"object" | "record">>(schema: S, count: number): S {
  return mark(schema, { maxProperties: count }, (value) => (size(value) > count ? `has more than ${count} keys` : undefined));
}

function size(value: object): number {
  return Object.values(value).filter((one) => one !== undefined).length;
}

/** Metadata of a template: what a Go type with an embedded ObjectMeta keeps. */
export const objectMeta = () =>
  z.object({
    name: z.string().optional(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
    finalizers: z.array(z.string()).optional(),
  });

const identity = () => ({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject(objectMeta().shape).optional() });
type Identity = ReturnType<typeof identity>;

/**
 * A whole Kubernetes object inside this one: the server checks its apiVersion, kind and metadata. With a body, other
 * fields are dropped; without one, everything is kept.
 */
export function embedded(): z.ZodObject<Identity, z.core.$loose>;
export function embedded<T extends z.ZodObject>(body: T): z.ZodObject<Identity & T["shape"], z.core.$strip>;
export function embedded(body?: z.ZodObject): z.ZodObject {
  return mark(body ? body.safeExtend(identity()) : z.looseObject(identity()), { embedded: true });
}

export interface Docs {
  readonly title?: string | undefined;
  readonly example?: Json | undefined;
  readonly externalDocs?: { readonly url: string; readonly description?: string | undefined } | undefined;
}

/** Title, example and a link, beside what `.describe()` says. */
export function docs<S extends Any>(schema: S, said: Docs): S {
  return mark(schema, JSON.parse(JSON.stringify(said)));
}
