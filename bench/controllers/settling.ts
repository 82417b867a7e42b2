/** Runs in a process of its own, which does everything: client, API server, controllers, scheduler, nodes. */
import { startCluster } from "@pintle/cluster";
import { clientOver } from "pintle/client";
import { create, quiet, settled } from "./crowd.ts";

/** Seconds, of the clock and of the CPU. */
export interface Settling {
  readonly settled: number;
  readonly CPU: number;
  readonly "events written": number;
}

const deployments = Number(process.argv[2]);
const cluster = await startCluster({ nodes: 3 });
await cluster.ready;
const client = clientOver(cluster.transport);
process.on("disconnect", () => process.exit());
process.send?.("ready");
process.once("message", async () => {
  const from = performance.now();
  const cpu = process.cpuUsage();
  const seconds = () => (performance.now() - from) / 1000;
  await create(client, deployments);
  await settled(client, deployments);
  const wall = seconds();
  const { user, system } = process.cpuUsage(cpu);
  await quiet(client);
  process.send?.({ settled: wall, CPU: (user + system) / 1e6, "events written": seconds() } satisfies Settling);
});
