import type { Clock } from "../../clock/index.ts";

const MAX_ENTRIES = 10_000;

/** Creates a cache whose values are found once, and again when their time to live, in milliseconds, is over. */
export function createExpiringCache<T>(clock: Clock) {
  const entries = new Map<string, { readonly value: T; readonly until: number }>();
  return async (key: string, find: () => Promise<readonly [T, number]>): Promise<T> => {
    const found = entries.get(key);
    if (found !== undefined && found.until > clock.monotonic()) return found.value;
    const [value, ttl] = await find();
    if (entries.size >= MAX_ENTRIES) entries.clear();
    entries.set(key, { value, until: clock.monotonic() + ttl });
    return value;
  };
}
