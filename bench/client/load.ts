import { type ContestantName, contestants } from "./contestants.ts";

/** Runs in a process of its own: one contestant, for a while, at one concurrency. */
const [name, server, concurrency, seconds] = process.argv.slice(2) as [ContestantName, string, string, string];
const contestant = await contestants[name](server);

async function readUntil(end: number): Promise<number> {
  let done = 0;
  const lane = async () => {
    while (performance.now() < end) {
      await contestant.read();
      done++;
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, lane));
  return done;
}

await readUntil(performance.now() + 1000);
const cpu = process.cpuUsage();
const started = performance.now();
const requests = await readUntil(started + Number(seconds) * 1000);
const elapsed = performance.now() - started;
const { user, system } = process.cpuUsage(cpu);
await contestant.close();
process.send?.({
  requestsPerSecond: (requests * 1000) / elapsed,
  cpuMicrosPerRequest: (user + system) / requests,
  rssMb: process.memoryUsage.rss() / 2 ** 20,
});
process.disconnect();
