import type { JsonObject } from "pintle/kinds";
import { type AnyResource, defineResource } from "pintle/resource";
import * as z from "zod";

/** A shape that a definition may have, with what a server must take and what it must refuse. */
export interface Shape {
  readonly name: string;
  /** The keywords of the structural schema this row is about; the definition must contain them. */
  readonly says: readonly string[];
  readonly spec: z.ZodObject;
  /** CEL on the whole object. */
  readonly rules?: readonly { readonly rule: string; readonly message?: string }[];
  readonly good: JsonObject;
  /** The spec as stored, where defaults or pruning change it. */
  readonly stored?: JsonObject;
  readonly bad: readonly [Bad, Bad, ...Bad[]];
}

/** A spec that is refused, on create or as an update of a good one, and the field the server names. */
export interface Bad {
  readonly spec: JsonObject;
  readonly field: string;
  /** The update starts from this spec. */
  readonly from?: JsonObject;
  /** What the server says about it, if it matters. */
  readonly message?: string;
}

/** A spec with one field, `x`. */
export const one = <T extends z.core.$ZodType>(x: T) => z.object({ x });
export const bad = (x: unknown, field = "spec.x", message?: string): Bad => ({
  spec: { x } as JsonObject,
  field,
  ...(message === undefined ? {} : { message }),
});
export const good = (x: unknown): JsonObject => ({ x }) as JsonObject;

/** The resource of a row; each row has a kind of its own. */
export function resourceOf({ spec, rules }: Pick<Shape, "spec" | "rules">, number: number): AnyResource {
  const kind = `Shape${String(number).padStart(3, "0")}`;
  return defineResource({ group: "shapes.example.com", version: "v1", kind, spec, rules }) as AnyResource;
}
