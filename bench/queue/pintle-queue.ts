/** Measures pintle's work queue: adding new keys, adding queued keys again, and processing all keys. Prints CPU microseconds per key. */
import { createWorkQueue } from "pintle/internal/queue";

const [keys = 0, rounds = 0] = process.argv.slice(2).map(Number);
const names = Array.from({ length: keys }, (_, i) => `default/cache-${i}`);
const reason = { kind: "Memcached", event: "modified" } as const;

for (let round = -1; round < rounds; round++) {
  let remaining = keys;
  let done = () => {};
  const allProcessed = new Promise<void>((resolve) => {
    done = resolve;
  });
  const work = () => {
    if (--remaining === 0) done();
  };
  const queue = createWorkQueue({ work, concurrency: 10 });
  const addAll = () => {
    for (const name of names) queue.add(name, { reason });
  };
  const add = await measureEach(addAll);
  const again = await measureEach(addAll);
  const processed = await measureEach(() => {
    queue.start();
    return allProcessed;
  });
  await queue.stop();
  if (round >= 0) console.log(JSON.stringify({ add, "add again": again, process: processed }));
}

async function measureEach(work: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / keys;
}
