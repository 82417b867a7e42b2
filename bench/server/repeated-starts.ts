import { startCluster } from "@pintle/cluster";
import type { StartCost } from "./starts.ts";

/** Runs in a child process: starts one cluster after another, as tests do. */
const REPEATS = Number(process.argv[2]);

async function measureStarts(options: { readonly without?: true }): Promise<readonly StartCost[]> {
  const costs: StartCost[] = [];
  for (let run = -1; run < REPEATS; run++) {
    const before = process.cpuUsage();
    const started = performance.now();
    const cluster = await startCluster(options);
    await cluster.ready;
    const { user, system } = process.cpuUsage(before);
    if (run >= 0) costs.push({ wall: performance.now() - started, cpu: (user + system) / 1000 });
    await cluster.stop();
  }
  return costs;
}

process.on("disconnect", () => process.exit());
process.send?.({ without: await measureStarts({ without: true }), complete: await measureStarts({}) });
