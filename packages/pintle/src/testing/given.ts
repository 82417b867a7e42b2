import type { KindFacts, ReadOf } from "../kinds/index.ts";
import type { Fixture } from "./simulate.ts";

/** Any part of an object, to any depth; lists are whole. */
export type PartOf<T> = T extends readonly unknown[] ? T : T extends object ? { readonly [K in keyof T]?: PartOf<T[K]> | undefined } : T;

/**
 * An object to begin with, or a change to one that is there, with as much of it as the test needs, status included:
 * `given(Deployment, "a", { status: { readyReplicas: 2 } })`.
 */
export function given<K extends KindFacts & { readonly "~": { readonly read: unknown } }>(
  kind: K,
  name: string,
  body: PartOf<ReadOf<K>> = {} as PartOf<ReadOf<K>>,
): Fixture {
  const { metadata, ...rest } = body as { readonly metadata?: object };
  return [kind, { ...rest, metadata: { ...metadata, name } }];
}
