import { blame, type FieldBlame, isJsonEqual } from "pintle/internal/merge";
import type { Json, JsonObject } from "pintle/kinds";
import type { StoreEvent, StoreSnapshot } from "../store/index.ts";

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
  const origins = findOrigins(current, history.filter((event) => event.key === key).reverse());
  return blame(current).map((field) => {
    const since = origins.get(field.path);
    return { ...field, since, time: since === undefined ? undefined : timeOf(since) };
  });
}

/** `events` are the commits of the key, newest first. */
function findOrigins(current: JsonObject, events: readonly StoreEvent[]): ReadonlyMap<string, number> {
  const origins = new Map<string, number>();
  const undecided = flattenFields(current);
  for (const { type, revision, previous } of events) {
    if (type === "delete") break;
    const before = previous === undefined ? undefined : flattenFields(previous.value);
    for (const [path, value] of undecided) {
      const earlier = before?.get(path);
      if (earlier !== undefined && isJsonEqual(earlier, value)) continue;
      origins.set(path, revision);
      undecided.delete(path);
    }
    if (undecided.size === 0) break;
  }
  return origins;
}

function flattenFields(object: JsonObject): Map<string, Json> {
  return new Map(blame(object).map(({ path, value }) => [path, value]));
}
