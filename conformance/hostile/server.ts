/**
 * A server in a process of its own, for what would not leave its own process alone: prints its kubeconfig, then answers
 * every line on stdin with how many bytes it holds after a collection.
 */
import { createInterface } from "node:readline";
import { startCluster } from "@pintle/cluster";

const cluster = await startCluster({ without: true, http: true });
process.stdout.write(`${JSON.stringify(cluster.kubeconfig)}\n`);
for await (const _line of createInterface({ input: process.stdin })) {
  gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${heapUsed + external}\n`);
}
await cluster.stop();
