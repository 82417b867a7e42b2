/** A work queue, which the client lacks: deduplicates keys, never processes one key twice at a time, retries failures after 100 ms. Returns the enqueue function. */
export function createWorkQueue(workers: number, reconcile: (key: string) => Promise<void>): (key: string) => void {
  const queued = new Set<string>();
  const processing = new Set<string>();
  const requeued = new Set<string>();
  const startWorkers = () => {
    for (const key of queued) {
      if (processing.size >= workers) return;
      queued.delete(key);
      processing.add(key);
      void reconcile(key)
        .catch((error: unknown) => {
          console.error(`${key}: ${String(error)}`);
          setTimeout(add, 100, key);
        })
        .finally(() => {
          processing.delete(key);
          if (requeued.delete(key)) queued.add(key);
          startWorkers();
        });
    }
  };
  const add = (key: string) => {
    if (processing.has(key)) requeued.add(key);
    else queued.add(key);
    startWorkers();
  };
  return add;
}
