/** The client has none: keys wait once, `workers` run at a time, none twice at once, failures come again later. */
export function workQueue(workers: number, work: (key: string) => Promise<void>): (key: string) => void {
  const waiting = new Set<string>();
  const running = new Set<string>();
  const again = new Set<string>();
  const next = () => {
    for (const key of waiting) {
      if (running.size >= workers) return;
      waiting.delete(key);
      running.add(key);
      void work(key)
        .catch((error: unknown) => {
          console.error(`${key}: ${String(error)}`);
          setTimeout(add, 100, key);
        })
        .finally(() => {
          running.delete(key);
          if (again.delete(key)) waiting.add(key);
          next();
        });
    }
  };
  const add = (key: string) => {
    if (running.has(key)) again.add(key);
    else waiting.add(key);
    next();
  };
  return add;
}
