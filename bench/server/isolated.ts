import { startCluster } from "@pintle/cluster";
import type { Ready } from "./starts.ts";

/** Runs in a process of its own: one cluster after another, as tests have them. */
const RUNS = Number(process.argv[2]);

async function times(options: { readonly without?: true }): Promise<readonly Ready[]> {
  const measured: Ready[] = [];
  for (let run = -1; run < RUNS; run++) {
    const before = process.cpuUsage();
    const started = performance.now();
    const cluster = await startCluster(options);
    await cluster.ready;
    const { user, system } = process.cpuUsage(before);
    if (run >= 0) measured.push({ wall: performance.now() - started, cpu: (user + system) / 1000 });
    await cluster.stop();
  }
  return measured;
}

process.on("disconnect", () => process.exit());
process.send?.({ without: await times({ without: true }), complete: await times({}) });
