/** Runs in a child process: client, API server, controllers, scheduler and nodes. */
import { startCluster } from "@pintle/cluster";
import { createClient } from "pintle/client";
import { createDeployments, waitForNoEvents, waitForRollouts } from "./deployments.ts";

/** Seconds of wall time, and of CPU time. */
export interface RolloutFigures {
  readonly "rolled out": number;
  readonly CPU: number;
  readonly "events written": number;
}

const deployments = Number(process.argv[2]);
const cluster = await startCluster({ nodes: 3 });
await cluster.ready;
const client = createClient(cluster.transport);
process.on("disconnect", () => process.exit());
process.send?.("ready");
process.once("message", async () => {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const seconds = () => (performance.now() - startedAt) / 1000;
  await createDeployments(client, deployments);
  await waitForRollouts(client, deployments);
  const wall = seconds();
  const { user, system } = process.cpuUsage(cpu);
  await waitForNoEvents(client);
  process.send?.({ "rolled out": wall, CPU: (user + system) / 1e6, "events written": seconds() } satisfies RolloutFigures);
});
