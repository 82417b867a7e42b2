import type { KindInfo, ObjectOf } from "../kinds/index.ts";
import type { Fixture } from "./simulate.ts";

/** An object with all fields optional, at any depth, also in the items of lists. A list replaces the whole list. */
export type PartialObject<T> = T extends readonly (infer Item)[]
  ? readonly PartialObject<Item>[]
  : T extends object
    ? { readonly [K in keyof T]?: PartialObject<T[K]> | undefined }
    : T;

/**
 * Creates a fixture for `simulate()` or `Simulation.put()` from part of an object, including status and other server state. For an existing object it is
 * a merge patch.
 *
 * @example
 * ```ts
 * import { Deployment } from "pintle/kinds/apps/v1";
 * import { objectFixture } from "pintle/testing";
 *
 * export const ready = objectFixture(Deployment, "a", { status: { readyReplicas: 2 } });
 * ```
 */
export function objectFixture<K extends KindInfo & { readonly "~": { readonly read: unknown } }>(
  kind: K,
  name: string,
  body: PartialObject<ObjectOf<K>> = {} as PartialObject<ObjectOf<K>>,
): Fixture {
  const { metadata, ...rest } = body as { readonly metadata?: object };
  return [kind, { ...rest, metadata: { ...metadata, name } }];
}
