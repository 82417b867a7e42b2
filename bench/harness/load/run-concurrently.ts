/** Calls `task` with 0 to `count` - 1, at most `concurrency` calls at a time. */
export async function runConcurrently(count: number, concurrency: number, task: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
