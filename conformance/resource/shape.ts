import { type AnyResource, defineResource } from "pintle/internal/resource";
import type { JsonObject } from "pintle/kinds";
import * as z from "zod";

/** A shape that a definition may have, with a spec that servers must accept and specs that they must reject. */
export interface Shape {
  readonly name: string;
  /** The keywords of the structural schema that this row tests; the CRD must contain them. */
  readonly says: readonly string[];
  readonly spec: z.ZodObject;
  /** CEL rules on the whole object. */
  readonly rules?: readonly { readonly rule: string; readonly message?: string }[];
  readonly good: JsonObject;
  /** The spec as stored, if defaults or pruning change it. */
  readonly stored?: JsonObject;
  readonly bad: readonly [RejectedSpec, RejectedSpec, ...RejectedSpec[]];
}

/** A spec that is rejected on create, or as an update of a valid one, and the field that the server reports. */
export interface RejectedSpec {
  readonly spec: JsonObject;
  readonly field: string;
  /** The update starts from this spec. */
  readonly from?: JsonObject;
  /** The server's message, if it matters. */
  readonly message?: string;
  /** The first Kubernetes minor that rejects it, if not every supported one does. */
  readonly since?: string;
}

/** A spec with one field, `x`. */
export const one = <T extends z.core.$ZodType>(x: T) => z.object({ x });
export const bad = (x: unknown, field = "spec.x", message?: string): RejectedSpec => ({
  spec: { x } as JsonObject,
  field,
  ...(message === undefined ? {} : { message }),
});
export const badSince = (since: string, x: unknown): RejectedSpec => ({ ...bad(x), since });
export const good = (x: unknown): JsonObject => ({ x }) as JsonObject;

/** Defines the resource of a row; each row has its own kind. */
export function resourceOf({ spec, rules }: Pick<Shape, "spec" | "rules">, number: number): AnyResource {
  const kind = `Shape${String(number).padStart(3, "0")}`;
  return defineResource({ group: "shapes.example.com", version: "v1", kind, spec, rules }) as AnyResource;
}
