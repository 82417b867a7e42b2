/**
 * A server in a child process, for tests that would disturb their own process: prints its kubeconfig, then responds to
 * every line on stdin with the number of bytes in use after a garbage collection.
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
