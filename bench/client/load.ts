import { type ClientName, podReaders } from "./pod-readers.ts";

/** Runs in a child process: reads pods with one client for as many milliseconds as each message says. This is its reply. */
export interface LoadRound {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly cpuMicrosPerRequest: number;
  readonly rssMb: number;
}

const [name, server, concurrency] = process.argv.slice(2) as [ClientName, string, string];
const reader = await podReaders[name](server);

async function runRound(ms: number): Promise<LoadRound> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  let requests = 0;
  const worker = async () => {
    while (performance.now() < started + ms) {
      const pod = await reader.read();
      // An error must not count as a fast read.
      if (pod.spec?.containers.length !== 2) throw new Error(`${name} did not read the pod`);
      requests++;
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, worker));
  const elapsed = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return {
    requests,
    requestsPerSecond: (requests * 1000) / elapsed,
    cpuMicrosPerRequest: (user + system) / requests,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
  };
}

process.on("message", async (ms: number) => process.send?.(await runRound(ms)));
process.on("disconnect", () => process.exit());
process.send?.("ready");
