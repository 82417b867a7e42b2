import { type ContestantName, contestants } from "./contestants.ts";

/** Runs in a process of its own: one contestant, which reads for a while each time it is told to. */
export interface Round {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly cpuMicrosPerRequest: number;
  readonly rssMb: number;
}

const [name, server, concurrency] = process.argv.slice(2) as [ContestantName, string, string];
const contestant = await contestants[name](server);

async function round(ms: number): Promise<Round> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  let requests = 0;
  const lane = async () => {
    while (performance.now() < started + ms) {
      const answer = await contestant.read();
      // A read that fails fast must not count as a fast one.
      if (answer.spec?.containers.length !== 2) throw new Error(`${name} read something else than the pod`);
      requests++;
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, lane));
  const elapsed = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return {
    requests,
    requestsPerSecond: (requests * 1000) / elapsed,
    cpuMicrosPerRequest: (user + system) / requests,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
  };
}

process.on("message", async (ms: number) => process.send?.(await round(ms)));
process.on("disconnect", () => process.exit());
process.send?.("ready");
