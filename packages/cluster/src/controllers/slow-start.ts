/**
 * Makes `count` things in batches of 1, 2, 4, ...: when the server refuses one (a quota, a webhook), the batches that were
 * to follow are not tried. Gives what was made, and the first refusal.
 */
export async function slowStart<T>(count: number, make: (index: number) => Promise<T>): Promise<{ made: readonly T[]; failure?: unknown }> {
  const made: T[] = [];
  for (let size = 1, next = 0; next < count; size *= 2) {
    const until = Math.min(count, next + size);
    const batch = await Promise.allSettled(Array.from({ length: until - next }, (_, i) => make(next + i)));
    next = until;
    for (const result of batch) if (result.status === "fulfilled") made.push(result.value);
    const refused = batch.find((result) => result.status === "rejected");
    if (refused !== undefined) return { made, failure: refused.reason };
  }
  return { made };
}
