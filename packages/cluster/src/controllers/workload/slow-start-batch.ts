/**
 * Calls `create` in batches of 1, 2, 4, ... After a failure (a quota, a webhook) no further batch is started. Returns the results and the
 * first failure.
 */
export async function slowStartBatch<T>(
  count: number,
  create: (index: number) => Promise<T>,
): Promise<{ created: readonly T[]; failure?: unknown }> {
  const created: T[] = [];
  for (let size = 1, next = 0; next < count; size *= 2) {
    const until = Math.min(count, next + size);
    const batch = await Promise.allSettled(Array.from({ length: until - next }, (_, i) => create(next + i)));
    next = until;
    for (const result of batch) if (result.status === "fulfilled") created.push(result.value);
    const refused = batch.find((result) => result.status === "rejected");
    if (refused !== undefined) return { created, failure: refused.reason };
  }
  return { created };
}
