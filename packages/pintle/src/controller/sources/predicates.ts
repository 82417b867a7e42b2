import { isJsonEqual } from "../../merge/index.ts";
import type { EventPredicate } from "../declare/options.ts";

interface ObjectWithMetadata {
  readonly metadata: {
    readonly generation?: number | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** Creations and deletions always pass; updates pass if `differs` returns true. */
const updatedWhen =
  (differs: (old: ObjectWithMetadata["metadata"], now: ObjectWithMetadata["metadata"]) => boolean): EventPredicate<ObjectWithMetadata> =>
  (old, now) =>
    old === undefined || now === undefined || differs(old.metadata, now.metadata);

/**
 * Predicates for `when`. They can be combined: `when: (old, now) => predicates.generationChanged(old, now) || predicates.labelsChanged(old, now)`.
 *
 * The generation changes with the spec and when a deletion starts; for some built-in kinds without a status it never changes.
 *
 * @example
 * ```ts
 * import { controller, defineResource, predicates, z } from "pintle";
 *
 * const Memcached = defineResource({ group: "cache.example.com", version: "v1", kind: "Memcached", spec: z.object({ size: z.int() }) });
 *
 * export const memcached = controller(Memcached, { when: predicates.generationChanged, reconcile() {} });
 * ```
 */
export const predicates = {
  generationChanged: updatedWhen((old, now) => old.generation !== now.generation),
  labelsChanged: updatedWhen((old, now) => !isJsonEqual(old.labels ?? {}, now.labels ?? {})),
  annotationsChanged: updatedWhen((old, now) => !isJsonEqual(old.annotations ?? {}, now.annotations ?? {})),
} as const;
