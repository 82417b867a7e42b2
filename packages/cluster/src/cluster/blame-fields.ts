import { blameWithOrigins, type FieldBlame } from "pintle/internal/merge";
import type { StoreSnapshot } from "../store/index.ts";

/** A field of an object, its managers, and the commit that gave it its present value. */
export interface FieldOrigin extends FieldBlame {
  /** The revision at which the field took its present value; undefined: before the history that the store retains. */
  readonly since: number | undefined;
  /** Time of that commit by the cluster's clock, in milliseconds since 1970; undefined if it is not known any more. */
  readonly time: number | undefined;
}

/**
 * Returns the fields of the object under a key with their managers and origin: the history is followed back from the current value of each
 * field to the commit that wrote it. Undefined if the object does not exist.
 */
export function blameFields(
  key: string,
  { entries, history }: StoreSnapshot,
  timeOf: (revision: number) => number | undefined,
): readonly FieldOrigin[] | undefined {
  const current = entries.get(key)?.value;
  if (current === undefined) return undefined;
  const commits = history.filter((event) => event.key === key).reverse();
  return blameWithOrigins(current, commits).map((field) => ({
    ...field,
    time: field.since === undefined ? undefined : timeOf(field.since),
  }));
}
