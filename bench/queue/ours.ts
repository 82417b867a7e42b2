/** Our side: adds of new keys, adds of keys that wait already, and runs of all of them. Says CPU microseconds for each. */
import { queue } from "pintle/queue";

const [keys = 0, rounds = 0] = process.argv.slice(2).map(Number);
const names = Array.from({ length: keys }, (_, i) => `default/cache-${i}`);
const reason = { kind: "Memcached", event: "modified" } as const;

for (let round = -1; round < rounds; round++) {
  let left = keys;
  let done = () => {};
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  const work = () => {
    if (--left === 0) done();
  };
  const waiting = queue({ work, concurrency: 10 });
  const addAll = () => {
    for (const name of names) waiting.add(name, { reason });
  };
  const add = await each(addAll);
  const again = await each(addAll);
  const run = await each(() => {
    waiting.start();
    return all;
  });
  await waiting.stop();
  if (round >= 0) console.log(JSON.stringify({ add, "add again": again, run }));
}

async function each(work: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / keys;
}
