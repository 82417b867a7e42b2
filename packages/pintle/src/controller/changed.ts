import { equal } from "../merge/index.ts";
import type { Filter } from "./options.ts";

interface Changing {
  readonly metadata: {
    readonly generation?: number | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** What was made and what is gone always matters; of a change, what `differs` says. */
const on =
  (differs: (old: Changing["metadata"], now: Changing["metadata"]) => boolean): Filter<Changing> =>
  (old, now) =>
    old === undefined || now === undefined || differs(old.metadata, now.metadata);

/**
 * Filters for `when`, to be used as they are or inside another one: `when: changed.generation`, or
 * `when: (old, now) => changed.generation(old, now) || changed.labels(old, now)`.
 *
 * A generation changes with the spec, and with the beginning of a deletion; of kinds without a status, with nothing.
 */
export const changed = {
  generation: on((old, now) => old.generation !== now.generation),
  labels: on((old, now) => !equal(old.labels ?? {}, now.labels ?? {})),
  annotations: on((old, now) => !equal(old.annotations ?? {}, now.annotations ?? {})),
} as const;
